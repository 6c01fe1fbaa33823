-- SPDX-License-Identifier: BSD-3-Clause
delete from gpu_fault
where told_at <= store_now() - ($1::float8 * interval '1 second')
