// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/scratch.hpp"

#include <fstream>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::helpers {

ScratchFolder::ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::vector<double> read_values(const std::string& verb, const std::string& file,
                                std::size_t count) {
    std::vector<double> values(count);
    std::ifstream in(file, std::ios::binary);
    const auto bytes = static_cast<std::streamsize>(count * sizeof(double));
    if (!in.read(reinterpret_cast<char*>(values.data()), bytes)) {
        throw Error(ErrorCode::Internal, "kaname-compute " + verb + ": wrote fewer than " +
                                             std::to_string(count) + " values");
    }
    return values;
}

}  // namespace kaname::helpers
