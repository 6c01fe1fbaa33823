// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/receiver_files.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "proto/spec/greens/stations.hpp"

namespace kaname::spec {
namespace {

v1::WaveReceiver receiver_of(const SpecStation& station) {
    v1::WaveReceiver receiver;
    receiver.set_id(station.id);
    v1::WavePlace& at = *receiver.mutable_at();
    if (station.plain) {
        at.set_x_m(station.x_m);
        at.set_y_m(station.y_m);
        if (station.depth_m) {
            at.set_z_m(-*station.depth_m);
        }
    } else {
        at.set_lon_deg(station.lon_deg);
        at.set_lat_deg(station.lat_deg);
        if (station.depth_m) {
            at.set_depth_m(*station.depth_m);
        }
    }
    return receiver;
}

}  // namespace

void take_receivers(google::protobuf::RepeatedPtrField<v1::File>& files,
                    google::protobuf::RepeatedPtrField<v1::WaveReceiver>& receivers,
                    std::vector<Violation>& broken) {
    google::protobuf::RepeatedPtrField<v1::File> left;
    for (int index = 0; index < files.size(); ++index) {
        const v1::File& file = files[index];
        if (file.sha256().empty()) {
            *left.Add() = file;  // resolve_files() has reported it
            continue;
        }
        try {
            for (const SpecStation& station : read_station_csv(file.path())) {
                *receivers.Add() = receiver_of(station);
            }
        } catch (const ValidationError& error) {
            std::ranges::copy(error.violations(), std::back_inserter(broken));
        } catch (const Error& error) {
            broken.push_back({"receiver_files[" + std::to_string(index) + "]", error.what()});
        }
    }
    files.Swap(&left);
}

}  // namespace kaname::spec
