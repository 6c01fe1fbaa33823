// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/caller.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <sys/epoll.h>

#include "server/gate/frames.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gate {
namespace {

constexpr std::size_t kPiece = 64U << 10U;  ///< bytes that are read at once, and kept for a writer
constexpr std::size_t kUnknownPiece = 16U << 10U, kUnknownAnswers = 8U << 10U;
constexpr std::size_t kDropped = 1U << 20U;  ///< bytes that are read behind the last word
constexpr int kTurns = 4;                    ///< of reading, before others have theirs
constexpr std::size_t kMostRefused = 1024;   ///< calls that were refused, and are not yet over
constexpr std::size_t kHealthQuestion = 256, kHealthCalls = 16;
constexpr const char* kHealthCheck = "/grpc.health.v1.Health/Check";
constexpr int kNotFound = 5, kExhausted = 8;  ///< statuses of gRPC

/// Memory that one thread reads into.
std::array<char, kPiece>& room() {
    thread_local std::array<char, kPiece> bytes;
    return bytes;
}

/// The service of a HealthCheckRequest as gRPC frames it; nothing where it is none.
std::optional<std::string> service_of(std::string_view framed) {
    constexpr std::size_t kPrefix = 5;
    constexpr char kServiceField = '\x0a', kLongText = '\x80';
    if (framed.size() < kPrefix || framed.front() != 0) {
        return std::nullopt;
    }
    framed.remove_prefix(kPrefix);
    if (framed.empty()) {
        return "";
    }
    if (framed.size() < 2 || framed[0] != kServiceField || (framed[1] & kLongText) != 0 ||
        framed.size() != 2 + static_cast<std::size_t>(framed[1])) {
        return std::nullopt;
    }
    return std::string(framed.substr(2));
}

}  // namespace

Caller::Caller(Fd socket, const Tls& tls, CallerLimits limits, Needs needs)
    : client_(std::move(socket), tls),
      limits_(limits),
      needs_(std::move(needs)),
      reader_(limits.frames),
      resets_(limits.resets, limits.resets_a_second) {
    say(settings(static_cast<std::uint32_t>(limits.streams),
                 static_cast<std::uint32_t>(limits.frames.list_bytes)));
}

bool Caller::may_read_client() const {
    return !over_ &&
           (ending_ || (!checking_ && to_server_.size() < kPiece && to_client_.size() < kPiece));
}

std::uint32_t Caller::client_events() const {
    const bool writes = !to_client_.empty() && !client_.writes_after_reading();
    return (may_read_client() ? std::uint32_t{EPOLLIN} : 0) |
           (writes || client_.wants_to_write() ? std::uint32_t{EPOLLOUT} : 0);
}

std::uint32_t Caller::server_events() const {
    return (to_client_.size() < kPiece ? std::uint32_t{EPOLLIN} : 0) |
           (!to_server_.empty() ? std::uint32_t{EPOLLOUT} : 0);
}

bool Caller::work() {
    bool more = true;
    for (int turn = 0; turn < kTurns && more && !over_; ++turn) {
        more = read_client();
        more |= write_server();
        more |= read_server();
        more |= write_client();
    }
    if (ending_ && to_client_.empty() && !std::exchange(last_word_, true)) {
        client_.end_writing();
    }
    return more && !over_;
}

bool Caller::read_client() {
    if (!may_read_client()) {
        return false;
    }
    // One that nobody knows has little in memory.
    const long got = client_.read(room().data(), known_ ? room().size() : kUnknownPiece);
    if (got == Wire::kEnd) {
        over_ = true;
    }
    if (got <= 0) {
        return false;
    }
    bytes_ += static_cast<std::size_t>(got);
    if (!known_ && bytes_ > limits_.bytes) {
        over_ = !refusing_ || bytes_ > limits_.bytes + kDropped;
        send_away();
    }
    if (!ending_) {
        reader_.add({room().data(), static_cast<std::size_t>(got)});
        take_pieces();
    }
    return true;
}

bool Caller::write_server() {
    if (!server_ || to_server_.empty()) {
        return false;
    }
    const long done = server_->write(to_server_.rest());
    if (done > 0) {
        to_server_.take(static_cast<std::size_t>(done));
    } else if (done == Wire::kEnd) {
        to_server_.take(to_server_.size());  // its last word may still be there
    }
    return done > 0;
}

bool Caller::read_server() {
    // A server that has closed its end is read to the end: the system keeps little.
    if (!server_ || (to_client_.size() >= kPiece && !server_gone_)) {
        return false;
    }
    const long got = server_->read(room().data(), room().size());
    if (got == Wire::kEnd) {
        end();
    } else if (got > 0) {
        const std::string_view heard(room().data(), static_cast<std::size_t>(got));
        say(heard);
        calls_->hear(heard);
        say_between("");
    }
    return got > 0;
}

/// Says frames of the gate's own to one that is known, between two of the server's.
void Caller::say_between(std::string_view frames) {
    between_ += frames;
    if (!between_.empty() && calls_->between_frames()) {
        say(between_);
        between_.clear();
    }
}

/// Ends the connection: bytes for the client are still sent, bytes from the client are dropped. So
/// the client receives all of them.
void Caller::end() {
    ending_ = true;
    server_.reset();
    to_server_.take(to_server_.size());
}

bool Caller::write_client() {
    if (to_client_.empty()) {
        return false;
    }
    const long done = client_.write(to_client_.rest());
    over_ |= done == Wire::kEnd;
    if (done > 0) {
        to_client_.take(static_cast<std::size_t>(done));
    }
    return done > 0;
}

void Caller::take_pieces() {
    try {
        while (!checking_ && !ending_ && !over_) {
            const auto piece = reader_.next();
            if (!piece) {
                return;
            }
            take_piece(*piece);
        }
    } catch (const Error&) {
        over_ = true;  // whoever speaks so is told nothing
    }
}

void Caller::take_piece(const Piece& piece) {
    if (piece.kind == Piece::Kind::Other) {
        if (piece.type == kSettings && (piece.flags & kAck) != 0 && acks_ > 0) {
            --acks_;
            return;
        }
        if (piece.type == kReset) {
            count_reset();
        }
    }
    if (known_) {
        take_known(piece);
    } else {
        take_unknown(piece);
    }
}

/// Hands on what its owner has room for. The server sees every head, whose fields later ones may
/// name.
void Caller::take_known(const Piece& piece) {
    if (piece.kind == Piece::Kind::Data) {
        take_known_data(piece);
        return;
    }
    to_server_.add(piece.bytes);
    if (piece.kind == Piece::Kind::Head && piece.stream > stream_) {
        stream_ = piece.stream;
        begin_call(piece.stream, piece.field(":path").value_or(""));
    } else if (piece.kind == Piece::Kind::Other && piece.type == kReset) {
        calls_->end(piece.stream);
        refused_.erase(piece.stream);
    }
}

void Caller::take_known_data(const Piece& piece) {
    const bool begins = piece.bytes.size() > piece.payload.size();
    if (begins && !refused_.contains(piece.stream)) {
        try {
            calls_->add(piece.stream, frame_head_at(piece.bytes).value().length);
        } catch (const Error& error) {
            refuse_known(piece.stream, calls_->path_of(piece.stream), error.what());
        }
    }
    if (!refused_.contains(piece.stream)) {
        to_server_.add(piece.bytes);
        return;
    }
    if (!piece.payload.empty()) {
        say_between(window_update(static_cast<std::uint32_t>(piece.payload.size())));
    }
    if (piece.ends && (piece.flags & kEndStream) != 0) {
        refused_.erase(piece.stream);
    }
}

void Caller::begin_call(std::uint32_t stream, const std::string& path) {
    try {
        calls_->begin(stream, path, *needs_.sends_many && (*needs_.sends_many)(path));
    } catch (const Error& error) {
        refuse_known(stream, path, error.what());
    }
}

/// Ends a call for both sides. Whoever goes on calling beyond a limit is one who resets.
void Caller::refuse_known(std::uint32_t stream, const std::string& path,
                          const std::string& message) {
    constexpr std::string_view kCancel{"\0\0\0\x08", 4};
    count_reset();
    if (refused_.size() >= kMostRefused) {
        throw Error(ErrorCode::Exhausted, "HTTP/2: calls that were refused do not end");
    }
    needs_.refused(path, kExhausted);
    calls_->end(stream);
    to_server_.add(frame(kReset, 0, stream, kCancel));
    say_between(refusal(stream, kExhausted, message, details_of_limit(message)));
    refused_.insert(stream);
}

void Caller::take_unknown(const Piece& piece) {
    switch (piece.kind) {
        case Piece::Kind::Preface:
            keep(piece.bytes);
            break;
        case Piece::Kind::Head:
            take_head(piece);
            break;
        case Piece::Kind::Data:
            take_data(piece);
            break;
        case Piece::Kind::Other:
            take_other(piece);
            break;
    }
}

void Caller::take_head(const Piece& piece) {
    if (piece.stream <= stream_) {
        return;  // trailers of a call that was refused
    }
    stream_ = piece.stream;
    path_ = piece.field(":path").value_or("");
    if (path_ == kHealthCheck && health_.size() < kHealthCalls) {
        health_[stream_];
        if (!std::exchange(refusing_, true)) {
            say(settings_ack());
        }
        return;
    }
    keep(piece.bytes);
    checking_ = true;
    needs_.check(piece.field("authorization"));
}

/// Calls that are refused may send a message all the same.
void Caller::take_data(const Piece& piece) {
    if (!piece.bytes.empty() && !piece.payload.empty()) {
        say(window_update(static_cast<std::uint32_t>(piece.payload.size())));
    }
    const auto asked = health_.find(piece.stream);
    if (asked == health_.end()) {
        return;
    }
    asked->second += piece.payload;
    if (piece.ends && (piece.flags & kEndStream) != 0) {
        const auto service = service_of(asked->second);
        const auto serves = service ? (*needs_.health)(*service) : std::nullopt;
        say(serves ? reply(piece.stream, *serves ? "\x08\x01" : "\x08\x02")
                   : refusal(piece.stream, kNotFound, "service name unknown"));
    }
    if (asked->second.size() > kHealthQuestion || (piece.ends && (piece.flags & kEndStream) != 0)) {
        health_.erase(asked);
        refusals_ += 1;
    }
}

void Caller::take_other(const Piece& piece) {
    if (piece.type == kPing) {
        if ((piece.flags & kAck) == 0) {
            say(ping_ack(piece.payload));
        }
    } else if (!refusing_) {
        keep(piece.bytes);
    } else if (piece.type == kSettings) {
        say(settings_ack());
    } else if (piece.type == kReset) {
        health_.erase(piece.stream);
    }
}

void Caller::keep(std::string_view bytes) {
    if (kept_.size() + bytes.size() > limits_.kept) {
        throw Error(ErrorCode::Exhausted, "HTTP/2: too much comes before the first call");
    }
    kept_ += bytes;
}

void Caller::count_reset() {
    if (!resets_.take() || (calls_ && !calls_->count_reset())) {
        throw Error(ErrorCode::Exhausted, "HTTP/2: too many streams are reset");
    }
}

void Caller::take(const Verdict& verdict) {
    checking_ = false;
    if (over_ || ending_) {
        return;
    }
    std::string why = verdict.message;
    if (verdict.status != 0) {
        refuse(verdict.status, why, verdict.details);
    } else if (refusing_) {
        // The server has not heard of the calls before: this one is made again elsewhere.
        --stream_;
        send_away();
        return;
    } else if (!join(verdict.owner, why)) {
        refuse(kExhausted, why, details_of_limit(why));
    }
    take_pieces();
}

/// Has a way to the server from now on, if its owner has a place for the call that it begins with:
/// what is refused here costs the server nothing.
bool Caller::join(const std::string& owner, std::string& why) {
    const std::shared_ptr<Account> account = needs_.account(owner);
    try {
        account->check_place();
    } catch (const Error& error) {
        why = error.what();
        return false;
    }
    Fd way = needs_.open(owner, why);
    if (!way.open()) {
        return false;
    }
    server_.emplace(std::move(way));
    known_ = true;
    calls_ = std::make_unique<OpenCalls>(account);
    to_server_.add(kept_);
    kept_ = std::string();
    begin_call(stream_, path_);
    return true;
}

std::string Caller::details_of_limit(const std::string& message) const {
    return needs_.details_of_limit ? needs_.details_of_limit(message) : "";
}

void Caller::refuse(int status, const std::string& message, const std::string& details) {
    needs_.refused(path_, status);
    say(refusal(stream_, status, message, details));
    kept_ = std::string();
    if (!std::exchange(refusing_, true)) {
        say(settings_ack());
    }
    if (++refusals_ >= limits_.refusals) {
        send_away();
    }
}

void Caller::send_away() {
    if (!ending_) {
        say(goaway(stream_));
        end();
    }
}

}  // namespace kaname::gate
