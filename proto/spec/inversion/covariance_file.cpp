// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/inversion/covariance_file.hpp"

#include <cmath>
#include <optional>

#include "proto/spec/form/csv.hpp"
#include "proto/spec/form/text.hpp"
#include "solvers/base/error.hpp"

namespace kaname::spec {
namespace {

constexpr double kRounded = 1e-6;  // of tables with few digits, relative to the variances

std::string one_based(std::size_t index) {
    return std::to_string(index + 1);
}

[[noreturn]] void refuse(const std::string& path, const std::string& message) {
    throw ValidationError({{path, message}});
}

void make_symmetric(const std::string& path, std::size_t n, std::vector<double>& matrix) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            double& lower = matrix[i * n + j];
            double& upper = matrix[j * n + i];
            const double size = std::sqrt(std::abs(matrix[i * n + i] * matrix[j * n + j]));
            if (std::abs(lower - upper) > kRounded * size) {
                refuse(path, "must be symmetric, got " + show(lower) + " in row " + one_based(i) +
                                 ", column " + one_based(j) + " and " + show(upper) + " in row " +
                                 one_based(j) + ", column " + one_based(i));
            }
            lower = upper = 0.5 * (lower + upper);
        }
    }
}

/// C = L L', row by row.
void check_positive_definite(const std::string& path, std::size_t n,
                             const std::vector<double>& matrix) {
    std::vector<double> factor(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        double* row = &factor[i * n];
        for (std::size_t j = 0; j <= i; ++j) {
            const double* other = &factor[j * n];
            double sum = matrix[i * n + j];
            for (std::size_t k = 0; k < j; ++k) {
                sum -= row[k] * other[k];
            }
            if (j < i) {
                row[j] = sum / other[j];
            } else if (sum > 0.0) {
                row[i] = std::sqrt(sum);
            } else {
                refuse(path, "must be positive definite, is not from row " + one_based(i) +
                                 " on, whose variance is " + show(matrix[i * n + i]));
            }
        }
    }
}

}  // namespace

std::vector<double> read_covariance(const std::string& path, std::size_t n) {
    RowErrors errors(path);
    std::vector<double> matrix;
    std::size_t rows = 0;
    for_each_csv_line(read_text_file(path), [&](int line, std::string_view text) {
        const auto cells = split_csv(text);
        ++rows;
        if (!cells || cells->size() != n) {
            errors.fail(line, "must have " + std::to_string(n) +
                                  " numbers, one for each observation of the set, has " +
                                  std::to_string(cells ? cells->size() : 0));
            return true;
        }
        for (const std::string& cell : *cells) {
            const std::optional<double> value = parse_number(cell);
            if (!value || !std::isfinite(*value)) {
                errors.fail(line, "must have finite numbers, got " + quote(cell));
            }
            matrix.push_back(value.value_or(0.0));
        }
        return true;
    });
    if (errors.any()) {
        throw ValidationError(errors.take());
    }
    if (rows != n) {
        refuse(path, "must have " + std::to_string(n) +
                         " rows, one for each observation of the set, has " + std::to_string(rows));
    }
    make_symmetric(path, n, matrix);
    check_positive_definite(path, n, matrix);
    return matrix;
}

}  // namespace kaname::spec
