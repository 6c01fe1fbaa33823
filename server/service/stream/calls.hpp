// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kaname::service {

/// Pause is yielded by a waiting call in place of a message: the call goes on when something has
/// changed since `seen` (ChangeNotifier), or after `patience`.
struct Pause {
    std::uint64_t seen = 0;
    std::chrono::milliseconds patience{0};
};

/// The answers of a call that may wait, as a coroutine: it reads from top to bottom, yields each
/// message and each Pause, and between them holds no thread. Arguments of such a function are
/// copies, as it begins when the first answer is asked for. One thread at a time.
template <class Message>
class Answers {
public:
    struct promise_type {
        const Message* message = nullptr;  ///< in the coroutine's frame, until it is resumed
        std::optional<Pause> pause;
        std::exception_ptr trouble;

        Answers get_return_object() { return Answers(Handle::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(const Message& next) noexcept {
            message = &next;
            return {};
        }
        std::suspend_always yield_value(Pause next) noexcept {
            pause = next;
            return {};
        }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { trouble = std::current_exception(); }
    };

    enum class Next { Answer, Pause, End };

    Answers(Answers&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    Answers& operator=(Answers&&) = delete;
    ~Answers() {
        if (handle_) {
            handle_.destroy();
        }
    }

    /// Goes on to the next answer. Throws what the call throws; it is then at its end.
    Next next() {
        handle_.promise().message = nullptr;
        handle_.promise().pause.reset();
        handle_.resume();
        if (handle_.promise().trouble) {
            std::rethrow_exception(std::exchange(handle_.promise().trouble, nullptr));
        }
        return handle_.done() ? Next::End : handle_.promise().pause ? Next::Pause : Next::Answer;
    }
    /// After Next::Answer; valid until the next call of next().
    [[nodiscard]] const Message& message() const { return *handle_.promise().message; }
    /// After Next::Pause.
    [[nodiscard]] Pause pause() const { return *handle_.promise().pause; }

private:
    using Handle = std::coroutine_handle<promise_type>;
    explicit Answers(Handle handle) : handle_(handle) {}

    Handle handle_;
};

/// Gives the next message of a stream of requests; false at its end.
template <class Message>
using Read = std::function<bool(Message&)>;

/// Bytes of one message of a reply, but for the last entry of a list, which goes over it.
inline constexpr std::size_t kMaxReplyBytes = (1U << 20U) - (64U << 10U);

using Texts = std::vector<std::string>::const_iterator;

/// Ranges of `texts` that fit one message each, in order and at least one.
inline std::vector<std::pair<Texts, Texts>> pieces_of(const std::vector<std::string>& texts) {
    std::vector<std::pair<Texts, Texts>> pieces;
    auto begin = texts.begin();
    do {
        auto end = begin;
        for (std::size_t bytes = 0; end != texts.end() && bytes < kMaxReplyBytes; ++end) {
            bytes += end->size() + 8;  // tag and length
        }
        pieces.emplace_back(begin, end);
        begin = end;
    } while (begin != texts.end());
    return pieces;
}

}  // namespace kaname::service
