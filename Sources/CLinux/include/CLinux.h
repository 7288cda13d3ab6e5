// The kernel's interfaces that Swift's Glibc module does not carry.
#pragma once
#include "GNUOnly.h"
#include "ReceiveBatch.h"
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timex.h>
