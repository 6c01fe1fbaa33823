// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/scratch.hpp"

#include <algorithm>
#include <bit>
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

std::vector<double> ValueStream::next(std::size_t most) {
    static_assert(std::endian::native == std::endian::little);
    std::vector<double> values(std::min(most, left_));
    const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(double));
    if (!in_->read(reinterpret_cast<char*>(values.data()), bytes)) {
        throw Error(ErrorCode::Internal, "kaname-compute " + verb_ + ": wrote fewer than " +
                                             std::to_string(count_) + " values");
    }
    left_ -= values.size();
    return values;
}

ValueStream values_in(const std::string& verb, const std::string& file, std::size_t count) {
    return {verb, std::make_unique<std::ifstream>(file, std::ios::binary), count};
}

std::vector<double> read_values(const std::string& verb, const std::string& file,
                                std::size_t count) {
    return values_in(verb, file, count).next(count);
}

}  // namespace kaname::helpers
