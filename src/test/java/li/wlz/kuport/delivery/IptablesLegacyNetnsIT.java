package li.wlz.kuport.delivery;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

class IptablesLegacyNetnsIT extends IptablesFlavor {
    @RegisterExtension
    static final Stage STAGE = stage();

    IptablesLegacyNetnsIT() {
        super(STAGE, "legacy");
    }

    @BeforeAll
    static void serve() {
        STAGE.serve(STAGE.world().edge().pod(1));
        STAGE.serve(STAGE.world().edge().pod(2));
    }
}
