// SPDX-License-Identifier: BSD-3-Clause
#include "server/embedded/filesystem_type.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <sys/vfs.h>

#include "solvers/base/error.hpp"

namespace kaname::embedded {
namespace {

// linux/magic.h has some of them only.
constexpr std::array<std::pair<unsigned long, std::string_view>, 11> kNetwork{{
    {0x6969, "NFS"},
    {0x517B, "SMB"},
    {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB2"},
    {0x00C36400, "CephFS"},
    {0x5346414F, "AFS"},
    {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0x01021997, "9P"},
    {0x73757245, "Coda"},
}};

}  // namespace

std::optional<std::string_view> network_filesystem(long type) {
    for (const auto& [number, name] : kNetwork) {
        // f_type is signed and 32 bits wide on some systems.
        if (static_cast<std::uint32_t>(type) == number) {
            return name;
        }
    }
    return std::nullopt;
}

void require_local_disk(const std::filesystem::path& folder) {
    struct statfs info {};
    if (::statfs(folder.c_str(), &info) != 0) {
        throw Error(ErrorCode::Unavailable, folder.string() + ": " + std::strerror(errno));
    }
    if (const auto name = network_filesystem(info.f_type)) {
        throw Error(ErrorCode::InvalidArgument,
                    "state folder " + folder.string() + " is on a network file system (" +
                        std::string(*name) +
                        "), where a database is not safe: choose a local disk with --state, or "
                        "name a database with --database");
    }
}

}  // namespace kaname::embedded
