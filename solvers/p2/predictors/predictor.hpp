// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/device/buffer.hpp"
#include "solvers/device/queue.hpp"

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

/// First guesses of the next displacement increment from the earlier ones. Vectors are
/// [nodes][3][4], equal on every rank that shares a node.
class Predictor {
public:
    virtual ~Predictor() = default;
    /// Forgets everything: a new pack or another step length.
    virtual void clear() = 0;
    /// du = best guess of the solution of K du = f; zero while nothing is known. Collective.
    virtual void predict(device::View<double> du, device::View<const double> f,
                         device::Queue& queue) = 0;
    /// du = a second, simpler guess, where there is one: the solver takes the combination of both
    /// with the smallest residual. Collective.
    virtual bool predict_plainly(device::View<double> du, device::Queue& queue) = 0;
    /// The increment that came out: K du = f - r. Where f is the memory that predict was given
    /// since the last push, it holds the same numbers still. Collective.
    virtual void push(device::View<const double> du, device::View<const double> f,
                      device::View<const double> r, device::Queue& queue) = 0;
    /// Forgets one lane's numbers (a source that failed).
    virtual void zero_lane(int lane, device::Queue& queue) = 0;

    /// Number of increments that known() can return.
    [[nodiscard]] virtual int n_known() const = 0;
    /// du = the increment pushed `back` pushes before the newest, exact or, of a history kept as
    /// differences in FP32, to their rounding. 0 <= back < n_known().
    virtual void known(int back, device::View<double> du, device::Queue& queue) const = 0;
    /// Writes the whole history into `state` or takes it out, bit for bit, for a predictor made in
    /// the same way on the same rank.
    virtual void exchange(StateBytes& state, device::Queue& queue) = 0;
};

/// du(i - back) of a history kept as du(i), du(i-1) and second differences x(i), x(i-1), ...:
///   du(i-b) = du(i) - b (du(i) - du(i-1)) + sum_{k < b-1} (b-1-k) x(i-k)
void earlier_increment(int back, device::View<const double> newest,
                       device::View<const double> before,
                       std::span<const device::View<const float>> x, device::View<double> du,
                       device::Queue& queue);

/// First guess of the next increment from earlier ones, du(i) counted back from the newest:
///   previous  du(1)
///   ab2       2 du(1) - du(2)                      (Adams-Bashforth, as in Murakami et al. 2023)
///   cubic     4 du(1) - 6 du(2) + 4 du(3) - du(4)  (polynomial of degree 3 through four)
/// While fewer increments exist the polynomial through those there are is used; none gives zero.
enum class Polynomial { None, Previous, Ab2, Cubic };

class IncrementHistory final : public Predictor {
public:
    IncrementHistory(Polynomial kind, std::size_t vector_size, device::Queue& queue);

    void clear() override { count_ = 0; }
    void predict(device::View<double> du, device::View<const double> f,
                 device::Queue& queue) override;
    bool predict_plainly(device::View<double> /*du*/, device::Queue& /*queue*/) override {
        return false;
    }
    void push(device::View<const double> du, device::View<const double> f,
              device::View<const double> r, device::Queue& queue) override;
    void zero_lane(int lane, device::Queue& queue) override;
    [[nodiscard]] int n_known() const override;
    void known(int back, device::View<double> du, device::Queue& queue) const override;
    void exchange(StateBytes& state, device::Queue& queue) override;

private:
    Polynomial kind_;
    std::vector<device::Buffer<double>> increments_;  ///< ring
    std::size_t newest_ = 0;
    std::size_t count_ = 0;
};

}  // namespace kaname::predictors
