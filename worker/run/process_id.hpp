// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace kaname::run {

/// A process and no other: the kernel gives a number again, but never with the same start time
/// since the same boot.
struct ProcessId {
    pid_t pid = -1;
    std::uint64_t start_ticks = 0;  ///< clock ticks from the boot to the start
    std::string boot_id;

    friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

/// Nothing when there is no such process, or only a zombie of it. Threads are not processes.
[[nodiscard]] std::optional<ProcessId> identify(pid_t pid);
[[nodiscard]] bool is_running(const ProcessId& id);

/// Waits until the process has ended or the descriptor `other` can be read, without looking in
/// between; on kernels before 5.3 no longer than `look`.
void wait_for_end(const ProcessId& id, int other, std::chrono::milliseconds look);
/// True when it was running and got the signal; another process of the same number never gets it.
bool send_signal(const ProcessId& id, int signal);
/// True when it has ended before `limit` is over.
bool wait_until_gone(const ProcessId& id, std::chrono::milliseconds limit);

/// One line for pid files: "<pid> <start_ticks> <boot_id>\n".
[[nodiscard]] std::string to_text(const ProcessId& id);
/// Nothing when the text is not such a line.
[[nodiscard]] std::optional<ProcessId> parse_process_id(const std::string& text);

}  // namespace kaname::run
