/*
 * The one program of the test cluster's pods, and of their sandboxes.
 *
 *   workload                      does nothing, until SIGTERM
 *   workload serve PORT...        answers on these ports, TCP and UDP, IPv4 and IPv6, until SIGTERM
 *   workload linger PORT...       the same, but SIGTERM does not end it: it serves until it is killed
 *
 * Speaks as li.wlz.kuport.lab.Message describes; its label is $POD_NAME. To a person who types it says whom it sees.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SHORTEST 16
#define LONGEST (64 << 20)
#define DATAGRAM 65536

static void end(int signal) {
    (void)signal;
    _exit(0);
}

static void must(int result, const char *what) {
    if (result < 0) {
        perror(what);
        exit(1);
    }
}

static uint32_t number(const unsigned char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return ntohl(value);
}

static unsigned char *put(unsigned char *at, uint32_t value) {
    value = htonl(value);
    memcpy(at, &value, 4);
    return at + 4;
}

static uint32_t checksum(const unsigned char *bytes, size_t count) {
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

/* The answer to a request, or NULL if it is none; to be freed. */
static unsigned char *answer(const unsigned char *request, uint32_t length, const struct sockaddr_in6 *sender, uint32_t *answered) {
    const char *label = getenv("POD_NAME") ? getenv("POD_NAME") : "workload";
    int mapped = IN6_IS_ADDR_V4MAPPED(&sender->sin6_addr);
    unsigned char width = mapped ? 4 : 16, name = strlen(label);
    uint32_t needed = 4 + 8 + 4 + 4 + 2 + 1 + width + 1 + name, wanted;
    if (length < SHORTEST || number(request) != length || (wanted = number(request + 4)) > LONGEST)
        return NULL;
    *answered = wanted > needed ? wanted : needed;
    unsigned char *message = malloc(*answered), *at = put(message, *answered);
    memcpy(at, request + 8, 8);
    at = put(at + 8, length);
    at = put(at, checksum(request, length));
    memcpy(at, &sender->sin6_port, 2);
    at[2] = width;
    memcpy(at + 3, sender->sin6_addr.s6_addr + 16 - width, width);
    at += 3 + width;
    *at = name;
    memcpy(at + 1, label, name);
    for (uint32_t i = needed; i < *answered; i++)
        message[i] = request[15] + i;
    return message;
}

/* One line for a person, whose text is no request. */
static void tell(int to, const struct sockaddr_in6 *sender) {
    char address[INET6_ADDRSTRLEN], line[512];
    inet_ntop(AF_INET6, &sender->sin6_addr, address, sizeof address);
    int mapped = IN6_IS_ADDR_V4MAPPED(&sender->sin6_addr);
    int length = snprintf(line, sizeof line, "%s sees %s port %d\n", getenv("POD_NAME") ? getenv("POD_NAME") : "workload",
                          mapped ? strrchr(address, ':') + 1 : address, ntohs(sender->sin6_port));
    if (sendto(to, line, length, 0, NULL, 0) < 0 && sendto(to, line, length, 0, (const struct sockaddr *)sender, sizeof *sender) < 0)
        perror("sendto");
}

static int take(int stream, unsigned char *bytes, size_t count) {
    for (ssize_t got; count > 0; bytes += got, count -= got)
        if ((got = read(stream, bytes, count)) <= 0)
            return -1;
    return 0;
}

static void converse(int stream, const struct sockaddr_in6 *sender) {
    unsigned char start[4];
    while (take(stream, start, 4) == 0) {
        uint32_t length = number(start), answered;
        if (length < SHORTEST || length > LONGEST) {
            tell(stream, sender);
            return;
        }
        unsigned char *request = malloc(length), *reply;
        memcpy(request, start, 4);
        if (take(stream, request + 4, length - 4) < 0 || !(reply = answer(request, length, sender, &answered)))
            return;
        for (uint32_t sent = 0; sent < answered;) {
            ssize_t wrote = write(stream, reply + sent, answered - sent);
            if (wrote <= 0)
                return;
            sent += wrote;
        }
        free(request);
        free(reply);
    }
}

static int bound(int type, int port) {
    struct sockaddr_in6 all = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_any};
    int on = 1, off = 0, server = socket(AF_INET6, type, 0);
    must(server, "socket");
    must(setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "SO_REUSEADDR");
    must(setsockopt(server, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off), "IPV6_V6ONLY");
    must(setsockopt(server, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on), "IPV6_RECVPKTINFO");
    must(bind(server, (struct sockaddr *)&all, sizeof all), "bind");
    return server;
}

static void serve_tcp(int server) {
    must(listen(server, 128), "listen");
    for (;;) {
        struct sockaddr_in6 sender;
        socklen_t size = sizeof sender;
        int stream = accept(server, (struct sockaddr *)&sender, &size);
        if (stream < 0)
            continue;
        if (fork() == 0) {
            close(server);
            converse(stream, &sender);
            exit(0);
        }
        close(stream);
    }
}

/* A pod in the host's network has many addresses: the answer leaves from the dialled one, by the same control message that told it. */
static void serve_udp(int server) {
    static unsigned char request[DATAGRAM];
    for (;;) {
        struct sockaddr_in6 sender;
        char control[CMSG_SPACE(sizeof(struct in6_pktinfo))];
        struct iovec data = {.iov_base = request, .iov_len = sizeof request};
        struct msghdr message = {.msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &data, .msg_iovlen = 1,
                                 .msg_control = control, .msg_controllen = sizeof control};
        ssize_t length = recvmsg(server, &message, 0);
        uint32_t answered;
        unsigned char *reply = length < 0 ? NULL : answer(request, length, &sender, &answered);
        if (!reply) {
            if (length >= 0)
                tell(server, &sender);
            continue;
        }
        struct cmsghdr *info = CMSG_FIRSTHDR(&message);
        if (info && info->cmsg_type == IPV6_PKTINFO) {
            struct in6_pktinfo *packet = (struct in6_pktinfo *)CMSG_DATA(info);
            if (!IN6_IS_ADDR_LINKLOCAL(&packet->ipi6_addr))
                packet->ipi6_ifindex = 0;
        }
        data.iov_base = reply;
        data.iov_len = answered;
        message.msg_flags = 0;
        if (sendmsg(server, &message, 0) < 0)
            perror("sendmsg");
        free(reply);
    }
}

int main(int count, char **arguments) {
    int serves = count > 2;
    /* As process 1 of its container it would ignore a signal without a handler. */
    if (!serves || strcmp(arguments[1], "linger") != 0)
        signal(SIGTERM, end);
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 2; i < count; i++) {
        int port = atoi(arguments[i]), tcp = bound(SOCK_STREAM, port), udp = bound(SOCK_DGRAM, port);
        if (fork() == 0)
            serve_tcp(tcp);
        if (fork() == 0)
            serve_udp(udp);
        close(tcp);
        close(udp);
    }
    for (;;)
        pause();
}
