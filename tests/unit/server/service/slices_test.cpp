// SPDX-License-Identifier: BSD-3-Clause
// Blocks of datasets that are larger than what a stream may hold.
#include <array>
#include <numeric>

#include "server/service/datasets/transfers.hpp"
#include "tests/unit/server/service/service_fixture.hpp"

namespace kaname::service::slices_test {
namespace {

/// 0, 1, 2 ... as doubles, made as they are read.
class Numbers final : public std::streambuf {
public:
    /// `count` of them, and then the end; `read` counts them.
    Numbers(std::size_t count, std::size_t& read) : left_(count), read_(read) {}

private:
    int_type underflow() override {
        const std::size_t n = std::min(left_, numbers_.size());
        if (n == 0) {
            return traits_type::eof();
        }
        std::iota(numbers_.begin(), numbers_.begin() + static_cast<std::ptrdiff_t>(n),
                  static_cast<double>(read_));
        read_ += n;
        left_ -= n;
        auto* begin = reinterpret_cast<char*>(numbers_.data());
        setg(begin, begin, begin + n * sizeof(double));
        return traits_type::to_int_type(*begin);
    }

    std::array<double, 8192> numbers_{};
    std::size_t left_;
    std::size_t& read_;
};

class Bytes final : public std::istream {
public:
    Bytes(std::size_t count, std::size_t& read) : std::istream(nullptr), numbers_(count, read) {
        rdbuf(&numbers_);
    }

private:
    Numbers numbers_;
};

class Slices : public ServiceTest {
protected:
    /// Reads slices of a dataset whose one source has `n_epochs` of 80 stations; the helper has
    /// written `n_written` of its values.
    void read(std::size_t n_epochs, std::size_t n_written,
              const std::function<void(const v1::ReadSliceResponse&)>& act) {
        const std::string job = submit(sketch("coast", {"a"}));
        work();
        work();
        compute_.packaged = {"a"};
        compute_.stations.assign(80, "A");
        compute_.epochs_s.assign(n_epochs, 1.0);
        compute_.slice_bytes = [this, n_written] {
            return std::make_unique<Bytes>(n_written, n_read_);
        };
        v1::ReadSliceRequest wanted;
        wanted.set_dataset("datasets/" + job);
        drive<v1::ReadSliceResponse>(
            Artifacts(server_->context, server_->datasets).read_slice(wanted, helpers::Caller{}),
            [&](const v1::ReadSliceResponse& part) {
                act(part);
                return true;
            });
    }

    std::size_t n_read_ = 0;  ///< numbers of the helper's
};

TEST_F(Slices, OfTwoHundredMegabytesAreHeldAFewAtATime) {
    constexpr std::size_t kEpochs = 110000, kValues = kEpochs * 80 * 3;
    constexpr std::size_t kMost = std::size_t{8} << 20U;
    static_assert(kValues * sizeof(double) > 200e6);
    std::size_t n_sent = 0, held = 0;

    read(kEpochs, kValues, [&](const v1::ReadSliceResponse& part) {
        held = std::max(held, (n_read_ - n_sent) * sizeof(double) + part.ByteSizeLong());
        if (part.values_size() > 0) {
            EXPECT_EQ(part.first(), static_cast<std::int64_t>(n_sent));
            EXPECT_EQ(part.values(0), static_cast<double>(n_sent));
            n_sent += static_cast<std::size_t>(part.values_size());
        }
    });

    EXPECT_EQ(n_sent, kValues);
    EXPECT_LT(held, kMost);
}

TEST_F(Slices, WhatBreaksInTheMiddleEndsThemWithOneError) {
    std::size_t n_sent = 0;
    try {
        read(10000, 1000000, [&](const v1::ReadSliceResponse& part) {
            n_sent += static_cast<std::size_t>(part.values_size());
        });
        FAIL() << "the helper wrote less than it said";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Internal);
        EXPECT_STREQ(error.what(), "kaname-compute slice: wrote fewer than 2400000 values");
    }
    EXPECT_EQ(n_sent, 1000000U);
}

}  // namespace
}  // namespace kaname::service::slices_test
