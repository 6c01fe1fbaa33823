// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/progress.hpp"
#include "tests/support/fake_compute.hpp"

namespace kaname::cli {

inline const std::string kRequestFile =
    std::string(KANAME_SOURCE_DIR) + "/tests/e2e/data/tiny.yaml";

struct Outcome {
    int code = 0;
    std::string out, err;
    bool interrupted = false;
};

/// Runs one command line as main does, with a scripted kaname-compute.
inline Outcome call(const run::ComputeRunner& compute, const std::vector<std::string>& arguments) {
    Context context{compute, false, {}};
    Command app{.name = "kaname", .what = ""};
    for (const auto add :
         {add_validate, add_schema, add_estimate, add_run, add_mesh, add_show, add_xdmf, add_files,
          add_export, add_doctor, add_invert, add_submit, add_jobs, add_updown}) {
        add(app, context);
    }
    std::vector<const char*> words = {"kaname"};
    for (const std::string& argument : arguments) {
        words.push_back(argument.c_str());
    }
    (void)command::read(app, static_cast<int>(words.size()), words.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Outcome outcome;
    std::exception_ptr thrown;
    try {
        outcome.code = context.action();
    } catch (const Interrupted&) {
        outcome.interrupted = true;
    } catch (...) {
        thrown = std::current_exception();
    }
    outcome.out = testing::internal::GetCapturedStdout();
    outcome.err = testing::internal::GetCapturedStderr();
    if (thrown) {
        std::rethrow_exception(thrown);
    }
    return outcome;
}

inline Outcome call(const FakeCompute& compute, const std::vector<std::string>& arguments) {
    return call(compute.runner(), arguments);
}

}  // namespace kaname::cli
