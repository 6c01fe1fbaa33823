// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/waveforms/sac_header.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace kaname::io {
namespace {

constexpr int kFloats = 70;
constexpr int kInts = 40;
constexpr std::size_t kTexts = 4 * (kFloats + kInts);

void put_text(char* at, std::size_t room, const std::string& text) {
    std::fill_n(at, room, ' ');
    std::copy_n(text.data(), std::min(room, text.size()), at);
}

}  // namespace

SacHeader::SacHeader() {
    for (int word = 0; word < kFloats; ++word) {
        set(SacFloat{word}, -12345.0);
    }
    for (int word = 0; word < kInts; ++word) {
        set(SacInt{kFloats + word}, -12345);
    }
    for (std::size_t at = kTexts; at < bytes_.size(); at += 8) {
        put_text(bytes_.data() + at, 8, "-12345");
    }
    // The second half of the one long text is not undefined on its own.
    put_text(bytes_.data() + static_cast<std::size_t>(SacText::Kevnm), 16, "-12345");
    set(SacInt::Nvhdr, 6);
    set(SacInt::Iftype, kTimeSeries);
    set(SacInt::Leven, 1);
    set(SacInt::Lpspol, 0);
    set(SacInt::Lovrok, 1);
    set(SacInt::Lcalda, 0);
}

void SacHeader::set(SacFloat field, double value) {
    const auto written = static_cast<float>(value);
    std::memcpy(bytes_.data() + 4 * static_cast<std::size_t>(field), &written, sizeof written);
}

void SacHeader::set_user(int index, double value) {
    set(SacFloat{static_cast<int>(SacFloat::User0) + index}, value);
}

void SacHeader::set(SacInt field, std::int32_t value) {
    std::memcpy(bytes_.data() + 4 * static_cast<std::size_t>(field), &value, sizeof value);
}

void SacHeader::set(SacText field, const std::string& value) {
    if (!value.empty()) {
        put_text(bytes_.data() + static_cast<std::size_t>(field), field == SacText::Kevnm ? 16 : 8,
                 value);
    }
}

void SacHeader::set_reference(std::int64_t epoch_ms) {
    using namespace std::chrono;
    const sys_time<milliseconds> time{milliseconds(epoch_ms)};
    const sys_days date = floor<days>(time);
    const year year_of = year_month_day(date).year();
    const hh_mm_ss clock(time - date);
    const auto number = [](auto count) { return static_cast<std::int32_t>(count); };
    set(SacInt::Nzyear, static_cast<int>(year_of));
    set(SacInt::Nzjday, number((date - sys_days(year_of / January / 1)).count()) + 1);
    set(SacInt::Nzhour, number(clock.hours().count()));
    set(SacInt::Nzmin, number(clock.minutes().count()));
    set(SacInt::Nzsec, number(clock.seconds().count()));
    set(SacInt::Nzmsec, number(clock.subseconds().count()));
}

std::int32_t SacHeader::kind_of(const std::string& units) {
    constexpr std::int32_t kDisplacement = 6, kVelocity = 7, kAcceleration = 8, kVolts = 50;
    return units == "nm"       ? kDisplacement
           : units == "nm/s"   ? kVelocity
           : units == "nm/s/s" ? kAcceleration
           : units == "V"      ? kVolts
                               : kUnknown;
}

}  // namespace kaname::io
