// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/interrupt.hpp"

#include <csignal>

namespace kaname::cli {
namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t g_interrupted = 0;

void remember(int) {
    g_interrupted = 1;
}

}  // namespace

void catch_interrupts() {
    struct sigaction action {};
    action.sa_handler = remember;  // without SA_RESTART: a waiting poll returns at once
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        ::sigaction(signal, &action, nullptr);
    }
}

void interrupt() {
    g_interrupted = 1;
}

bool interrupted() {
    return g_interrupted != 0;
}

void throw_if_interrupted() {
    if (interrupted()) {
        throw Interrupted();
    }
}

}  // namespace kaname::cli
