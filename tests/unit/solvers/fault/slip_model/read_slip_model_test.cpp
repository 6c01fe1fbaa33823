// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/read_slip_model.hpp"

#include <cmath>
#include <cstdint>
#include <tuple>

#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::read_slip_model_test {
namespace {

std::string text_of(const std::string& name) {
    return read_file_if_any(real_file(name));
}

TEST(ReadSlipModel, ContentTellsTheFormatWhereTheExtensionDoesNot) {
    EXPECT_EQ(read_text("a.txt", text_of("wharton2016_usgs.fsp")).format, SlipFormat::SrcmodFsp);
    EXPECT_EQ(read_text("a.txt", text_of("wharton2016_usgs.param")).format, SlipFormat::UsgsParam);
    EXPECT_EQ(read_text("a.txt", text_of("maule2010_usgs.csv")).format, SlipFormat::CornerCsv);
    EXPECT_NE(refusal("a.txt", "1 2 3\n").find("a.txt: format: neither the extension nor"),
              std::string::npos);
}

TEST(ReadSlipModel, EveryFormatIsKnownWithoutItsExtension) {
    const std::string flt =
        "# n slip(m) x1(km) x2 x3 length(km) width strike dip rake\n"
        "1 1.5 0 0 5 10 8 20 45 90\n";
    const std::string rupt =
        "# No lon lat z(km) strike dip rise dura ss-slip(m) ds-slip(m) ss_len(m) ds_len(m) "
        "rupt_time(s) rigidity(Pa)\n"
        "1 135.0 34.0 5.0 0 90 0.5 2.0 1.0 0.2 1000 1000 0.4 3e10\n";
    const std::string srf =
        "1.0\nPOINTS 1\n135 34 5.4 0 90 1.0e10 0 0.1\n0 100 2 0 0 0 0\n"
        "500 500\n";
    for (const auto& [name, text, format] : {std::tuple{"a.flt", flt, SlipFormat::RelaxFlt},
                                             std::tuple{"a.rupt", rupt, SlipFormat::MudpyRupt},
                                             std::tuple{"a.srf", srf, SlipFormat::Srf}}) {
        EXPECT_EQ(read_text(name, text).format, format);
        EXPECT_EQ(read_text("6d0a", text).format, format) << name;
    }
}

TEST(ReadSlipModel, NamedFormatIsTaken) {
    ReadOptions options;
    options.format = slip_format("usgs_param");

    const SlipModel model = read_text("a.fsp", text_of("wharton2016_usgs.param"), options);

    EXPECT_EQ(model.format, SlipFormat::UsgsParam);
    EXPECT_EQ(model.name, "a");
    EXPECT_NE(refusal("a.fsp", text_of("wharton2016_usgs.param")), "");
}

TEST(ReadSlipModel, DepthsThatCountUpAreRefused) {
    const std::string head =
        "lon_centre_deg,lat_centre_deg,depth_centre_km,length_km,width_km,strike_deg,dip_deg,"
        "rake_deg,slip_m\n";
    const std::string up = "142,38,-7,11,12,0,51,45,1\n", summit = "142,38,-0.2,11,1,0,51,45,1\n";

    EXPECT_EQ(refusal("a.csv", head + up + summit),
              "a.csv: depth: must be positive down, got centres of patches from -7 to -0.2 km");
    // Patches of a mountain may lie above sea level as long as the fault goes on below.
    EXPECT_EQ(refusal("a.csv", head + summit + "142,38,0.7,11,1,0,51,45,1\n"), "");
}

TEST(ReadSlipModel, FormatsHaveNames) {
    for (const char* name : {"srcmod_fsp", "usgs_param", "csi_gmt", "relax_flt", "patch_csv",
                             "corner_csv", "usgs_geojson", "srf"}) {
        EXPECT_EQ(to_string(slip_format(name)), name);
    }
    EXPECT_THROW((void)slip_format("fsp"), Error);
}

TEST(ReadSlipModel, LineEndsOfOtherSystemsAreFine) {
    std::string text = text_of("wharton2016_usgs.fsp");
    for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2) {
        text.insert(at, "\r");
    }

    EXPECT_EQ(read_text("a.fsp", text).patches.size(), 225u);
}

TEST(ReadSlipModel, WhatIsNoFileIsRefused) {
    const TemporaryFolder folder;
    try {
        (void)read_slip_model(folder.path() / "none.fsp");
        ADD_FAILURE() << "read a file that is not there";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::NotFound);
    }
    EXPECT_THROW((void)read_slip_model(folder.path()), Error);
    EXPECT_EQ(refusal("a.fsp", " \n\n"), "a.fsp: is empty");
}

TEST(ReadSlipModel, FilesOver64MiBAreRefusedUnread) {
    const TemporaryFolder folder;
    write_file(folder.path() / "a.fsp", "x");
    std::filesystem::resize_file(folder.path() / "a.fsp", (std::uintmax_t{64} << 20) + 1);

    EXPECT_THROW((void)read_slip_model(folder.path() / "a.fsp"), Error);
}

class DamagedFiles : public testing::TestWithParam<const char*> {};

// Whatever bytes are damaged: a model in the ranges of the rules, or a named error.
TEST_P(DamagedFiles, AreReadOrRefused) {
    const std::string good = text_of(GetParam());
    const TemporaryFolder folder;
    const auto path = folder.path() / GetParam();
    std::uint64_t state = 12345;
    const auto next = [&](std::uint64_t below) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (state >> 33) % below;
    };
    int refused = 0;
    for (int round = 0; round < 150; ++round) {
        std::string bad = good;
        if (round % 3 == 0) {
            bad.resize(next(bad.size()));
        }
        for (std::uint64_t k = 0; !bad.empty() && k < 1 + next(4); ++k) {
            constexpr std::string_view kBytes = "0123456789-+.e \n,#%=>\0\xff nan";
            bad[next(bad.size())] = kBytes[next(kBytes.size())];
        }
        write_file(path, bad);
        try {
            const SlipModel model = read_slip_model(path);
            for (const SlipPatch& patch : model.patches) {
                ASSERT_TRUE(std::isfinite(patch.lon_deg + patch.lat_deg + patch.depth_m));
                ASSERT_TRUE(patch.slip_m >= 0.0 && patch.slip_m <= 100.0);
                ASSERT_LT(static_cast<std::size_t>(patch.segment), model.segments.size());
            }
        } catch (const Error& error) {
            ++refused;
            ASSERT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
            ASSERT_NE(std::string(error.what()).find(GetParam()), std::string::npos);
        }
    }
    EXPECT_GT(refused, 50);
}

INSTANTIATE_TEST_SUITE_P(Real, DamagedFiles,
                         testing::Values("antofagasta1995_usgs.fsp", "antofagasta1995_usgs.param",
                                         "samos2020_okuwaki.fsp", "maule2010_usgs.csv"));

}  // namespace
}  // namespace kaname::slip_model::read_slip_model_test
