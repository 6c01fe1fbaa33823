// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/system/write.hpp"

#include <bit>
#include <cstdio>
#include <fstream>

#include "solvers/base/error.hpp"

namespace kaname::bench {
namespace {

constexpr std::int32_t kMatrixClass = 1211216;
constexpr std::int32_t kVectorClass = 1211214;

std::uint32_t big_endian(std::uint32_t v) {
    return std::endian::native == std::endian::big ? v : __builtin_bswap32(v);
}
std::uint64_t big_endian(std::uint64_t v) {
    return std::endian::native == std::endian::big ? v : __builtin_bswap64(v);
}

class File {
public:
    explicit File(const std::string& path) : path_(path), out_(path, std::ios::binary) { check(); }
    void put(std::int32_t value) {
        const std::uint32_t bits = big_endian(std::bit_cast<std::uint32_t>(value));
        out_.write(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
    void put(double value) {
        const std::uint64_t bits = big_endian(std::bit_cast<std::uint64_t>(value));
        out_.write(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
    void line(const char* format, auto... values) {
        char text[96];
        const int size = std::snprintf(text, sizeof text, format, values...);
        out_.write(text, size);
    }
    void close() {
        out_.close();
        check();
    }

private:
    void check() const {
        if (!out_) {
            throw Error(ErrorCode::Unavailable, "cannot write '" + path_ + "'");
        }
    }
    std::string path_;
    std::ofstream out_;
};

}  // namespace

void write_petsc(const std::string& path, const AssembledSystem& A) {
    File file(path);
    file.put(kMatrixClass);
    file.put(A.size());
    file.put(A.size());
    if (A.col.size() > std::size_t{0x7fffffff}) {
        throw Error(ErrorCode::OutOfRange,
                    "the matrix must have at most 2147483647 non-zeros, has " +
                        std::to_string(A.col.size()));
    }
    file.put(static_cast<std::int32_t>(A.col.size()));
    for (std::int32_t row = 0; row < A.size(); ++row) {
        file.put(static_cast<std::int32_t>(A.row_ptr[row + 1] - A.row_ptr[row]));
    }
    for (const std::int32_t column : A.col) {
        file.put(column);
    }
    for (const double value : A.val) {
        file.put(value);
    }
    file.close();
}

void write_petsc(const std::string& path, std::span<const double> x) {
    File file(path);
    file.put(kVectorClass);
    file.put(static_cast<std::int32_t>(x.size()));
    for (const double value : x) {
        file.put(value);
    }
    file.close();
}

void write_matrix_market(const std::string& path, const AssembledSystem& A) {
    std::int64_t lower = 0;
    for (std::int32_t row = 0; row < A.size(); ++row) {
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            lower += A.col[k] <= row ? 1 : 0;
        }
    }
    File file(path);
    file.line("%%%%MatrixMarket matrix coordinate real symmetric\n");
    file.line("%d %d %lld\n", A.size(), A.size(), static_cast<long long>(lower));
    for (std::int32_t row = 0; row < A.size(); ++row) {
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1] && A.col[k] <= row; ++k) {
            file.line("%d %d %.17g\n", row + 1, A.col[k] + 1, A.val[k]);
        }
    }
    file.close();
}

void write_matrix_market(const std::string& path, std::span<const double> values,
                         std::size_t rows) {
    File file(path);
    file.line("%%%%MatrixMarket matrix array real general\n");
    file.line("%zu %zu\n", rows, values.size() / rows);
    for (const double value : values) {
        file.line("%.17g\n", value);
    }
    file.close();
}

}  // namespace kaname::bench
