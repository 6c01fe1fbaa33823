// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/device/buffer.hpp"

namespace kaname::predictors {

/// One rank's numbers as bytes, put in or taken out by the same calls. Taking throws
/// InvalidArgument when the bytes end early.
class StateBytes {
public:
    StateBytes() = default;
    explicit StateBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), reading_(true) {}

    [[nodiscard]] bool reading() const { return reading_; }
    [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

    template <class T>
    void number(T& value) {
        static_assert(std::is_arithmetic_v<T>);
        raw(&value, sizeof value);
    }
    template <class T>
    void array(std::vector<T>& values) {
        std::size_t size = values.size();
        number(size);
        if (reading_) {
            need(size, sizeof(T));
            values.resize(size);
        }
        raw(values.data(), size * sizeof(T));
    }
    /// An array in the queue's memory, which must have this size already.
    template <class T>
    void buffer(device::Buffer<T>& values, device::Queue& queue) {
        std::vector<T> host(values.size());
        if (!reading_) {
            device::download<T>(values, host, queue);
        }
        array(host);
        if (host.size() != values.size()) {
            throw Error(ErrorCode::InvalidArgument,
                        "kept state has " + std::to_string(host.size()) + " numbers, must have " +
                            std::to_string(values.size()));
        }
        if (reading_) {
            device::upload<T>(host, values, queue);
        }
    }

private:
    void need(std::size_t count, std::size_t each) const {
        if (count > (bytes_.size() - at_) / each) {
            throw Error(ErrorCode::InvalidArgument, "kept state ends early");
        }
    }
    void raw(void* data, std::size_t size) {
        if (!reading_) {
            const auto* from = static_cast<const std::byte*>(data);
            bytes_.insert(bytes_.end(), from, from + size);
            return;
        }
        need(size, 1);
        if (size > 0) {
            std::memcpy(data, bytes_.data() + at_, size);
        }
        at_ += size;
    }

    std::vector<std::byte> bytes_;
    std::size_t at_ = 0;
    bool reading_ = false;
};

}  // namespace kaname::predictors
