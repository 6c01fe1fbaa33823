// SPDX-License-Identifier: BSD-3-Clause
#include "server/gateway/unary.hpp"

#include <mutex>

#include "proto/report/report.hpp"
#include "server/gateway/messages.hpp"
#include "server/http/error_answer.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::gateway {
namespace {

constexpr std::chrono::seconds kDeadline{300};

struct Call {
    grpc::ClientContext context;
    std::unique_ptr<Message> request, reply;
    std::mutex mutex;
    bool ended = false;
    std::function<bool()> gone;
};

}  // namespace

void call(Line& line, Rounds& rounds, const Method& method, const Caller& caller,
          std::unique_ptr<Message> request, std::function<bool()> gone, Answered answered) {
    const auto open = std::make_shared<Call>();
    open->request = std::move(request);
    open->reply = new_message(*method.descriptor->output_type());
    open->gone = std::move(gone);
    const auto kept = line.open();
    Line::prepare(open->context, caller, kDeadline);
    line.stub().UnaryCall(&open->context, method.path(), {}, open->request.get(), open->reply.get(),
                          [open, kept, answered = std::move(answered)](const grpc::Status& status) {
                              {
                                  const std::lock_guard lock(open->mutex);
                                  open->ended = true;
                              }
                              answered(status, *open->reply);
                          });
    if (open->gone) {
        rounds.add([open] {
            const std::lock_guard lock(open->mutex);
            if (!open->ended && open->gone()) {
                open->context.TryCancel();
                return false;
            }
            return !open->ended;
        });
    }
}

http::Page rpc_page(const std::vector<Method>& methods, Line& line, Rounds& rounds) {
    return {.path = "/v1/rpc/",
            .methods = "POST",
            .body_bytes = kMaxRequestJson,
            .later = [&methods, &line, &rounds](const http::Request& request, http::Done done) {
                const Method* method = find(methods, request.rest);
                if (method == nullptr || method->streams()) {
                    throw Error(ErrorCode::NotFound,
                                "path must be /v1/rpc/<Service>/<Method> of a "
                                "call with one answer, got \"" +
                                    to_utf8(request.path, http::kMaxShownPath) + '"');
                }
                request.check_query({});
                call(line, rounds, *method, caller_of(request),
                     parse(*method->descriptor->input_type(), request.body, "body"), request.gone,
                     [done = std::move(done), &request](const grpc::Status& status,
                                                        const Message& reply) {
                         try {
                             if (!status.ok()) {
                                 throw_status(status);
                             }
                             done({.headers = {{"Content-Type", "application/json"},
                                               {"Cache-Control", "no-store"}},
                                   .text = report::to_json(reply) + "\n"});
                         } catch (const std::exception& error) {
                             done(http::error_answer(request, error));
                         }
                     });
            }};
}

}  // namespace kaname::gateway
