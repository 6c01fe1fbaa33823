// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/rank_gather.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::aderdg {

StateWriter::StateWriter(comm::Comm& comm, std::vector<std::int64_t> head) : comm_(comm) {
    if (comm_.rank() == 0) {
        head.insert(head.begin(), std::ssize(head));
        const auto bytes = std::as_bytes(std::span<const std::int64_t>(head));
        bytes_.assign(bytes.begin(), bytes.end());
    }
}

void StateWriter::add(std::span<const std::int64_t> numbers, std::span<const double> values,
                      bool single) {
    const auto places = gather_all<std::int64_t>(comm_, numbers);
    std::vector<std::vector<double>> rows;
    std::vector<std::vector<float>> short_rows;
    if (single) {
        const std::vector<float> own(values.begin(), values.end());
        short_rows = gather_all<float>(comm_, own);
    } else {
        rows = gather_all<double>(comm_, values);
    }
    if (comm_.rank() != 0) {
        return;
    }
    const auto put = [&](const auto& parts) {
        std::size_t n = 0, total = 0;
        for (std::size_t r = 0; r < parts.size(); ++r) {
            n += places[r].size();
            total += parts[r].size();
        }
        const std::size_t width = n == 0 ? 0 : total / n;
        const std::size_t number = sizeof(parts[0][0]);
        const std::size_t begin = bytes_.size();
        bytes_.resize(begin + total * number);
        for (std::size_t r = 0; r < parts.size(); ++r) {
            for (std::size_t k = 0; k < places[r].size(); ++k) {
                std::memcpy(bytes_.data() + begin + places[r][k] * width * number,
                            parts[r].data() + k * width, width * number);
            }
        }
    };
    single ? put(short_rows) : put(rows);
}

std::span<const std::byte> StateReader::bytes(std::size_t n) {
    if (rest_.size() < n) {
        throw Error(ErrorCode::InvalidArgument, "a state that ends too early");
    }
    const auto taken = rest_.first(n);
    rest_ = rest_.subspan(n);
    return taken;
}

void StateReader::end() const {
    if (!rest_.empty()) {
        throw Error(ErrorCode::InvalidArgument, "a state with " + std::to_string(rest_.size()) +
                                                    " bytes more than it should have");
    }
}

std::vector<std::int64_t> StateReader::head() {
    std::int64_t n = 0;
    std::memcpy(&n, bytes(sizeof n).data(), sizeof n);
    if (n < 0 || static_cast<std::uint64_t>(n) > rest_.size() / sizeof n) {
        throw Error(ErrorCode::InvalidArgument, "a state that ends too early");
    }
    std::vector<std::int64_t> head(n);
    const auto from = bytes(n * sizeof n);
    std::memcpy(head.data(), from.data(), from.size());
    return head;
}

std::vector<double> StateReader::next(std::size_t size, bool single) {
    if (single) {
        std::vector<float> values(size);
        const auto from = bytes(size * sizeof(float));
        std::memcpy(values.data(), from.data(), from.size());
        return {values.begin(), values.end()};
    }
    std::vector<double> values(size);
    const auto from = bytes(size * sizeof(double));
    std::memcpy(values.data(), from.data(), from.size());
    return values;
}

}  // namespace kaname::aderdg
