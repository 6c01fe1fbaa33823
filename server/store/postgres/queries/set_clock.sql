-- SPDX-License-Identifier: BSD-3-Clause
select set_config('kaname.clock_offset_s', $1, false)
