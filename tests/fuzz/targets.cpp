// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include "solvers/base/files.hpp"
#include "tests/fuzz/target_groups.hpp"

namespace kaname::fuzz {

namespace {

/// Where files need no disk: readers and writers of them are what is tried.
std::filesystem::path folder_in_memory() {
    const char* wanted = std::getenv("TMPDIR");
    const std::filesystem::path memory = "/dev/shm";
    return wanted == nullptr && ::access(memory.c_str(), W_OK) == 0
               ? memory
               : std::filesystem::temp_directory_path();
}

}  // namespace

std::string as_file(std::string_view bytes, const std::string& name) {
    static const TemporaryFolder folder(folder_in_memory());
    const std::filesystem::path path = folder.path() / name;
    // Not write_file(), which waits for the disk.
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
}

std::span<const Target> targets() {
    static const std::vector<Target> all = [] {
        std::vector<Target> list;
        for (auto* group : {specification_targets, service_targets, table_targets, hdf5_targets}) {
            std::ranges::move(group(), std::back_inserter(list));
        }
        return list;
    }();
    return all;
}

}  // namespace kaname::fuzz
