-- SPDX-License-Identifier: BSD-3-Clause
select kind, value, host from drain order by kind desc, value
