// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/answerer.hpp"

#include "proto/report/report.hpp"
#include "server/helpers/session_answer.hpp"

namespace kaname::helpers {
namespace {

constexpr const char* kVerb = "answers";
const std::string kWho = "kaname-compute answers";

}  // namespace

Answerer::Answerer(const Start& start) : folder_(start.folder) {
    session_.emplace(start.program,
                     std::vector<std::string>{kVerb, "--dataset", start.dataset.string()}, 1,
                     start.limits);
}

const v1::AnswerAxes& Answerer::axes(std::chrono::seconds limit) {
    if (!axes_) {
        usable_ = false;
        const run::Event event = next_answer(*session_, kVerb, {limit});
        if (const auto* failure = std::get_if<run::Failure>(&event)) {
            run::rethrow(*failure);
        }
        axes_ = report::parse<v1::AnswerAxes>(std::get<run::Result>(event).json, kWho);
        usable_ = true;
    }
    return *axes_;
}

AnsweredBlock Answerer::answer(v1::AnswerCommand command, std::chrono::seconds limit) {
    const v1::AnswerAxes& of = axes(limit);
    const v1::AnswerRequest& request = command.request();
    usable_ = false;
    command.set_id(std::to_string(++n_asked_));
    // A file of its own: who reads the last one slowly goes on with it.
    command.set_out(folder_.file(("values" + std::to_string(n_asked_)).c_str()));
    session_->send(report::to_json(command));
    const run::Event event = next_answer(*session_, kVerb, {limit});
    usable_ = true;  // told of a command, it goes on with the next
    if (const auto* failure = std::get_if<run::Failure>(&event)) {
        run::rethrow(*failure);
    }
    const auto found = report::parse<v1::AnsweredReport>(std::get<run::Result>(event).json, kWho);
    if (found.id() != command.id()) {
        usable_ = false;
        throw Error(ErrorCode::Internal,
                    kWho + ": answered command " + found.id() + " when asked " + command.id());
    }
    const std::int64_t sources =
        request.slip().empty() ? command.last_source() - command.first_source() : 1;
    const int epochs = request.epochs_s().empty() ? of.epochs_s_size() : request.epochs_s_size();
    const std::size_t count =
        static_cast<std::size_t>(request.rheologies_size() * sources) *
        static_cast<std::size_t>(epochs) *
        static_cast<std::size_t>(of.station_ids_size() * of.components_size());
    AnsweredBlock block{{found.errors().begin(), found.errors().end()},
                        values_in(kVerb, command.out(), count),
                        count};
    std::error_code ignored;
    std::filesystem::remove(command.out(), ignored);  // it stays open until all is read
    return block;
}

}  // namespace kaname::helpers
