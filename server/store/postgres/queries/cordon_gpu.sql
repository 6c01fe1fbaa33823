-- SPDX-License-Identifier: BSD-3-Clause
insert into gpu_cordon (gpu_uuid, reason) values ($1, $2)
on conflict do nothing
returning 1
