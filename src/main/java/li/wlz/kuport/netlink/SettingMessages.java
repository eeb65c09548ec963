package li.wlz.kuport.netlink;

/** RTM_*NETCONF of linux/netconf.h: notifications that forwarding or a reverse path filter was switched. */
public final class SettingMessages {
    private static final int RTM_NEWNETCONF = 80;
    private static final int RTM_DELNETCONF = 81;

    private SettingMessages() {}

    /** Whether a notification is about such a setting. */
    public static boolean concerns(Message message) {
        return message.type() == RTM_NEWNETCONF || message.type() == RTM_DELNETCONF;
    }
}
