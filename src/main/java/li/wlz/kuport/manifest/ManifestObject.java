package li.wlz.kuport.manifest;

import io.fabric8.kubernetes.api.model.HasMetadata;
import li.wlz.kuport.crd.Resources.Sourced;

/**
 * An object that a file holds.
 *
 * @param name its namespace, if it says one, and its name
 */
record ManifestObject(Kind kind, String name, Sourced<HasMetadata> sourced) {
    /** Kind and name: what makes two objects the same. */
    String key() {
        return kind + " " + name;
    }
}
