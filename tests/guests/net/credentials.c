/* Process ids in messages, of a socket's peer and of who gets its signals: a process reads there what it knows the
 * other by. That holds in both directions.
 *
 * live: yes
 * engine: native (process ids in messages)
 * shows: sendmsg, recvmsg, getsockopt, ioctl
 * source: process, thread, group and session ids
 */
#include "guest.h"

#include <asm/sockios.h>
#include <sys/ioctl.h>

static void send_as(int socket, pid_t pid)
{
    char control[CMSG_SPACE(sizeof(struct ucred))] = {0};
    struct ucred who = {pid, getuid(), getgid()}, after;
    struct iovec part = {"explicit", 8};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof who), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_CREDENTIALS};
    memcpy(CMSG_DATA(c), &who, sizeof who);
    CHECK(sendmsg(socket, &m, 0) == 8);
    memcpy(&after, CMSG_DATA(c), sizeof after);
    CHECK(after.pid == pid);
}

static void receive(int socket, const char *name, pid_t from)
{
    char control[CMSG_SPACE(sizeof(struct ucred))], data[20] = "";
    struct ucred who = {0};
    struct iovec part = {data, sizeof data - 1};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    CHECK(recvmsg(socket, &m, 0) > 0);
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    CHECK(c && c->cmsg_type == SCM_CREDENTIALS);
    memcpy(&who, CMSG_DATA(c), sizeof who);
    CHECK(who.pid == from && who.uid == getuid() && who.gid == getgid());
    printf("%s has %s\n", name, data);
}

int main(void)
{
    int end[2], on = 1;
    struct ucred peer = {0};
    socklen_t n = sizeof peer;
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, end) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(setsockopt(end[i], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        close(end[0]);
        CHECK(send(end[1], "plain", 5, 0) == 5);
        send_as(end[1], getpid());
        receive(end[1], "child", parent);
        CHECK(getsockopt(end[1], SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 && peer.pid == parent);
        fflush(stdout);
        _exit(0);
    }
    receive(end[0], "parent", child);
    receive(end[0], "parent", child);
    fflush(stdout);
    send_as(end[0], parent);
    CHECK(wait_for(child) == 0);
    CHECK(getsockopt(end[0], SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0);
    printf("peer of the pair: %d, of %d\n", peer.pid == parent, peer.pid > 0);
    int owner = parent, told = 0;
    CHECK(ioctl(end[0], SIOCSPGRP, &owner) == 0 && ioctl(end[0], SIOCGPGRP, &told) == 0);
    printf("owner: %d, of %d\n", told == getpid(), told);
    return guest_done();
}
