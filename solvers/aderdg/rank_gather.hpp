// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "solvers/comm/comm.hpp"

namespace kaname::aderdg {

/// Everybody's numbers, by rank.
template <class T>
std::vector<std::vector<T>> gather_all(comm::Comm& comm, std::span<const T> mine) {
    comm::Bytes bytes(mine.size_bytes());
    std::memcpy(bytes.data(), mine.data(), bytes.size());
    std::vector<std::vector<T>> all;
    for (const comm::Bytes& part : comm.all_gather(bytes)) {
        all.emplace_back(part.size() / sizeof(T));
        std::memcpy(all.back().data(), part.data(), part.size());
    }
    return all;
}

/// A head of whole numbers, then arrays of rows that ranks have parts of, in the order of their
/// numbers. Collective; the bytes are on rank 0.
class StateWriter {
public:
    StateWriter(comm::Comm& comm, std::vector<std::int64_t> head);
    /// values: rows of the same size, of `numbers` 0, 1, ... as this rank has them; kept as floats
    /// where `single`.
    void add(std::span<const std::int64_t> numbers, std::span<const double> values, bool single);
    [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

private:
    comm::Comm& comm_;
    std::vector<std::byte> bytes_;
};

class StateReader {
public:
    explicit StateReader(std::span<const std::byte> bytes) : rest_(bytes) {}
    /// Throws InvalidArgument for bytes that are too few.
    [[nodiscard]] std::vector<std::int64_t> head();
    /// All of the next array's values.
    [[nodiscard]] std::vector<double> next(std::size_t size, bool single);
    /// Throws InvalidArgument unless all has been read.
    void end() const;

private:
    [[nodiscard]] std::span<const std::byte> bytes(std::size_t n);
    std::span<const std::byte> rest_;
};

}  // namespace kaname::aderdg
