// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/http/exchange.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace kaname::http {
namespace {

constexpr std::size_t kEncryptedPiece = 256U << 10U;  ///< read at once of a file
constexpr std::size_t kFeedPiece = 16U << 10U;

/// Lists the headers of every answer. They ensure that the page and all it loads come from this
/// server, that nothing frames it, and that no file is taken for another type.
constexpr std::array<std::pair<const char*, const char*>, 5> kHeaders = {{
    {"Content-Security-Policy",
     "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
     "form-action 'self'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
}};

MHD_Result add_header(void* into, MHD_ValueKind, const char* key, const char* value) {
    std::string name = key;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string& known = (*static_cast<std::map<std::string, std::string>*>(into))[name];
    known += (known.empty() ? "" : ", ") + std::string(value != nullptr ? value : "");
    return MHD_YES;
}

MHD_Result add_query(void* into, MHD_ValueKind, const char* key, const char* value) {
    (*static_cast<std::map<std::string, std::string>*>(into))[key] = value != nullptr ? value : "";
    return MHD_YES;
}

/// Bytes of a region, for answers that are encrypted.
ssize_t read_region(void* of, std::uint64_t position, char* into, std::size_t most) {
    const auto& region = *static_cast<const Region*>(of);
    const ssize_t got =
        ::pread(region.file.get(), into, most, static_cast<off_t>(region.offset + position));
    // Callers know how many bytes were promised: an answer that is cut short is seen.
    return got > 0 ? got : MHD_CONTENT_READER_END_WITH_ERROR;
}

/// Copies the text that a feed has ready into `into`. The connection is suspended while there is no
/// text.
ssize_t read_feed(void* of, std::uint64_t, char* into, std::size_t most) {
    auto& exchange = *static_cast<Exchange*>(of);
    const long got = exchange.answer.feed->take(
        into, most, [&exchange] { MHD_suspend_connection(exchange.connection); });
    return got == Feed::kEnd      ? MHD_CONTENT_READER_END_OF_STREAM
           : got == Feed::kBroken ? MHD_CONTENT_READER_END_WITH_ERROR
                                  : got;
}

/// Null when memory or descriptors have run out. The exchange outlives it.
MHD_Response* response_of(Exchange& exchange, bool encrypted) {
    Answer& answer = exchange.answer;
    if (answer.feed) {
        return MHD_create_response_from_callback(answer.feed_bytes.value_or(MHD_SIZE_UNKNOWN),
                                                 kFeedPiece, read_feed, &exchange, nullptr);
    }
    if (!answer.region) {
        return MHD_create_response_from_buffer(answer.text.size(), answer.text.data(),
                                               MHD_RESPMEM_PERSISTENT);
    }
    Region& region = *answer.region;
    if (encrypted) {
        return MHD_create_response_from_callback(region.bytes, kEncryptedPiece, read_region,
                                                 &region, nullptr);
    }
    const int own = ::fcntl(region.file.get(), F_DUPFD_CLOEXEC, 0);
    MHD_Response* response =
        own < 0 ? nullptr
                : MHD_create_response_from_fd_at_offset64(region.bytes, own, region.offset);
    if (response == nullptr && own >= 0) {
        ::close(own);
    }
    return response;
}

}  // namespace

void read_values(MHD_Connection* connection, Request& into) {
    MHD_get_connection_values(connection, MHD_HEADER_KIND, add_header, &into.headers);
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_query, &into.query);
}

MHD_Result send(Exchange& exchange, bool encrypted) {
    MHD_Response* const response = response_of(exchange, encrypted);
    if (response == nullptr) {
        return MHD_NO;
    }
    for (const auto& [name, value] : exchange.answer.headers) {
        MHD_add_response_header(response, name.c_str(), value.c_str());
    }
    for (const auto& [name, value] : kHeaders) {
        MHD_add_response_header(response, name, value);
    }
    const MHD_Result queued = MHD_queue_response(
        exchange.connection, static_cast<unsigned>(exchange.answer.status), response);
    MHD_destroy_response(response);
    return queued;
}

ThreadPool::ThreadPool(int threads) {
    for (int number = 0; number < threads; ++number) {
        threads_.emplace_back([this] { run(); });
    }
}

bool ThreadPool::submit(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) {
            return false;
        }
        queue_.push_back(std::move(job));
    }
    changed_.notify_one();
    return true;
}

void ThreadPool::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
}

void ThreadPool::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) {
            return;
        }
        const auto job = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        job();
        lock.lock();
    }
}

}  // namespace kaname::http
