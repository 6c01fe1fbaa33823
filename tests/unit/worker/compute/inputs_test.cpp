// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/jobs/frame/reporter.hpp"

namespace kaname::compute::inputs_test {
namespace {

template <class Call>
std::string message_of(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_TRUE(error.code() == ErrorCode::InvalidArgument ||
                    error.code() == ErrorCode::NotFound);
        return error.what();
    }
    ADD_FAILURE() << "no error was thrown";
    return "";
}

TEST(Inputs, AListAndSingleOnesAddUp) {
    const TemporaryFolder folder;
    const std::string list = (folder.path() / "list").string();
    write_file(list, "s00d00/dip_slip\t/a b\ns01d00/dip_slip\t/c=d\n");
    Inputs inputs;

    add_input("mesh=/m=1.h5", inputs);
    add_input_list(list, inputs);

    EXPECT_EQ(
        inputs,
        (Inputs{{"mesh", "/m=1.h5"}, {"s00d00/dip_slip", "/a b"}, {"s01d00/dip_slip", "/c=d"}}));
}

TEST(Inputs, WhatIsNoneIsRefusedWithItsPlace) {
    const TemporaryFolder folder;
    const std::string list = (folder.path() / "list").string();
    Inputs inputs{{"mesh", "/m"}};

    for (const char* text : {"mesh", "=/m", "mesh="}) {
        EXPECT_EQ(message_of([&] { add_input(text, inputs); }),
                  std::string("--input: must be LABEL=PATH, got '") + text + "'");
    }
    EXPECT_EQ(message_of([&] { add_input("mesh=/n", inputs); }),
              "--input: input 'mesh' is given twice");
    EXPECT_EQ(message_of([&] { add_input_list(list, inputs); }),
              "list of inputs '" + list + "' cannot be read");
    write_file(list, "a\t/a\nnonsense\n");
    EXPECT_EQ(message_of([&] { add_input_list(list, inputs); }),
              list + ":2: must be a label, a tab and a path, got 'nonsense'");
    write_file(list, "b\t/b\nmesh\t/n\n");
    EXPECT_EQ(message_of([&] { add_input_list(list, inputs); }),
              list + ":2: input 'mesh' is given twice");
}

}  // namespace
}  // namespace kaname::compute::inputs_test
