#define _GNU_SOURCE
#include "ReceiveBatch.h"
#include <string.h>
#include <sys/socket.h>

int receive_batch(int socket, uint8_t *buffer, uint32_t stride, uint32_t count, uint32_t *lengths) {
    struct mmsghdr messages[receive_batch_limit];
    struct iovec parts[receive_batch_limit];
    if (count > receive_batch_limit) count = receive_batch_limit;
    memset(messages, 0, sizeof messages);
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = (struct iovec){buffer + (size_t)i * stride, stride};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    // MSG_TRUNC makes the kernel say a packet's real length even where it did not fit.
    int received = recvmmsg(socket, messages, count, MSG_DONTWAIT | MSG_TRUNC, 0);
    for (int i = 0; i < received; i++) lengths[i] = messages[i].msg_len;
    return received;
}
