// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/compute_session.hpp"

#include <utility>

#include "worker/run/compute_runner.hpp"

namespace kaname::run {
namespace {

constexpr std::chrono::milliseconds kSessionPoll{100};
constexpr std::chrono::milliseconds kGrace{2000};
constexpr std::size_t kSessionTailLines = 30, kSessionTailBytes = 1000;  // of each

}  // namespace

ComputeSession::ComputeSession(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments, Ranks ranks,
                               const ResourceLimits& limits, const std::string& traceparent)
    : verb_(arguments.front()),
      child_(compute_command(program, arguments, ranks, limits, traceparent)) {}

ComputeSession::~ComputeSession() {
    child_.close_stdin();
    child_.terminate(kGrace);
}

void ComputeSession::send(const std::string& command) {
    (void)child_.write_stdin(command + "\n");
}

void ComputeSession::throw_ended() {
    std::string message = "kaname-compute " + verb_ + " ended with " + child_.wait().text();
    for (const std::string& line : tail_) {
        message += "\n  | " + line;
    }
    throw SessionEnded(message);
}

Event ComputeSession::next(const std::function<void(const Event&)>& on_event,
                           const std::function<void()>& check) {
    const auto on_line = [&](Source source, std::string_view line) {
        Event event = source == Source::Stdout ? parse_line(line) : Event(Log{std::string(line)});
        if (std::holds_alternative<Result>(event) || std::holds_alternative<Failure>(event)) {
            answers_.push_back(std::move(event));
            return;
        }
        if (const auto* log = std::get_if<Log>(&event)) {
            tail_.push_back(log->line.substr(0, kSessionTailBytes));
            if (tail_.size() > kSessionTailLines) {
                tail_.pop_front();
            }
        }
        on_event(event);
    };
    while (answers_.empty()) {
        const bool open = child_.read_lines(kSessionPoll, on_line);
        if (!answers_.empty()) {
            break;
        }
        if (!open) {
            throw_ended();
        }
        check();
    }
    Event answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
}

}  // namespace kaname::run
