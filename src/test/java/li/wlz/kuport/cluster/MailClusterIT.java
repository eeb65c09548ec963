package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Namespace;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The mail server of docs/annotations.md, word for word. */
@InCluster
@ExtendWith(InstalledKuport.class)
class MailClusterIT {
    @AfterAll
    static void turn_annotations_off() {
        Kuport.uninstallChart(SharedCluster.cluster());
    }

    @Test
    void S8_G1_mail_comes_in_from_its_senders_address_and_goes_out_from_the_address_that_was_dialled(Scene scene) {
        KubernetesCluster cluster = scene.cluster();
        Kuport.installChart(cluster);
        cluster.node("edge").importImage(Path.of("target/mail/mail.tar"), "lab.local/mail");
        scene.undo(() -> {
            cluster.admin().namespaces().withName("mail").delete();
            cluster.admin().resources(PortMapClass.class).withName("mail").delete();
        });

        Guide.of(cluster, "annotations.md").follow("A mail server from start to finish");

        Namespace client = scene.world().cli().namespace();
        try (Smtp.Receiver receiver = Smtp.Receiver.start(client)) {
            Smtp.send(client, AddressPlan.A1.ipv4(), "me@[" + AddressPlan.CLIENT.ipv4() + "]");
            Scene.await("the mail to come back")
                    .untilAsserted(() -> assertThat(receiver.senders()).isEqualTo(List.of(AddressPlan.A1.ipv4())));
        }
        assertThat(cluster.kubectl("--namespace", "mail", "get", "events", "--field-selector", "reason=Delivered"))
                .contains("entries[0]: 203.0.113.9:25/tcp goes to");
        assertThat(cluster.kubectl("--namespace", "mail", "logs", "deployment/mx"))
                .contains("smtp connected address=" + AddressPlan.CLIENT.ipv4());
    }
}
