// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "solvers/base/files.hpp"

namespace kaname::run {

/// The part of the machine that a child, and each of its own, may touch, whoever it runs as. It may
/// besides read what programs of this machine need to start: programs and libraries below /usr,
/// the linker's and the time zone's files in /etc, /proc (but of no process outside its confinement
/// the environment, memory or open files), processors and buses in /sys; and write to /dev/null.
/// It signals no process outside where the kernel can tell (Linux 6.12), and keeps of root's rights
/// those alone that open the files named here.
struct Confinement {
    std::vector<std::filesystem::path> read;   ///< folders and files; run programs there too
    std::vector<std::filesystem::path> write;  ///< folders: anything below them; devices
};

/// Version of Landlock of this kernel; 0: it has none, and nobody is confined.
[[nodiscard]] int landlock_version();
enum class Tcp { Denied, Allowed };
/// Makes the ruleset that `confine_self` takes; it is not open without Landlock. A path that does
/// not exist is left out. TCP ports are denied where the kernel can do so (Linux 6.7). Throws
/// Unavailable when the kernel refuses.
[[nodiscard]] Fd make_ruleset(const Confinement& confinement, Tcp tcp = Tcp::Denied);
/// For good, and no program that it runs gains rights (no_new_privs). Async-signal-safe; -1 for
/// the latter alone. False with errno when the kernel refuses.
[[nodiscard]] bool confine_self(int ruleset);

/// Folders and files that kaname-compute reads to start: itself, libraries that the linker finds
/// elsewhere than below /usr, measured speeds of this machine, data of PROJ, and what
/// KANAME_HELPERS_READ names with ':' between. Starts the program once.
[[nodiscard]] std::vector<std::filesystem::path> needed_to_start(
    const std::filesystem::path& program);
/// Devices and folders through which programs use GPUs: NVIDIA's devices, shared memory, and the
/// pipes of its MPS; those that are there.
[[nodiscard]] std::vector<std::filesystem::path> gpu_devices();
/// Why kaname-compute does not start confined so; empty: it starts. Starts it once.
[[nodiscard]] std::string why_not_confined(const std::filesystem::path& program,
                                           const Confinement& confinement);

/// The first argument with which kaname-agent confines itself and becomes another program.
inline constexpr const char* kConfined = "confined";

/// Returns the command that mpirun or srun starts on each node in place of a rank's program. It
/// confines itself there, whoever started it, and then becomes the rank. The rank's own arguments
/// follow.
[[nodiscard]] std::vector<std::string> confined_rank(const std::filesystem::path& agent,
                                                     const Confinement& confinement);

/// The main program of such a start: `arguments` follow kConfined. The rank may besides reach TCP
/// ports, devices of InfiniBand and the session's folders that its MPI names; without such a name
/// the node's shared memory. Returns only when it fails, with the exit code, after a line on
/// standard error.
[[nodiscard]] int become_confined_rank(const std::vector<std::string>& arguments);

}  // namespace kaname::run
