// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fstream>

#include "solvers/base/files.hpp"
#include "worker/jobs/frame/kind.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {

/// Writes the verb and what "sleep" says.
inline int dream_once(const Call& call, Runtime& runtime) {
    write_file(call.out, call.verb + " in " + read_file_if_any(input(call, "sleep")));
    runtime.reporter.result("dream", v1::WrittenReport());
    return run::kExitOk;
}

/// Writes a file for each item, until standard input ends.
inline int dream_on(const Call& call, Runtime& runtime) {
    runtime.reporter.result("ready", v1::SessionReport());
    while (true) {
        const auto command = next_on_all(runtime.comm, runtime.commands);
        if (!command) {
            continue;
        }
        v1::PackReport report;
        report.set_id(command->id());
        for (const std::string& id : command->sources()) {
            v1::PackReport::Source& item = *report.add_sources();
            item.set_id(id);
            item.set_file(call.work + "/" + id);
            write_file(item.file(), id + " in " + read_file_if_any(input(call, "sleep")));
        }
        runtime.reporter.result("pack", report);
    }
}

/// A kind of request that nobody else knows: no mesh, no sources.
inline const Kind& dream_kind() {
    static const Kind kind{.schemas = {"test.Dream"},
                           .verbs = {{.name = "dream",
                                      .what = "Dream",
                                      .inputs = {"sleep"},
                                      .out = Use::Must,
                                      .once = dream_once,
                                      .serve = dream_on},
                                     {.name = "wake", .what = "Wake up", .once = dream_once}}};
    return kind;
}

}  // namespace kaname::compute
