package li.wlz.kuport.crd;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How usable a PortMapClass is. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PortMapClassStatus(
        @JsonPropertyDescription("The generation of the spec that conditions speak of.") @Nullable
        Long observedGeneration,

        @JsonPropertyDescription("Ready.") @Nullable List<@Nullable Condition> conditions) {}
