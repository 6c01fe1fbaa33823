-- SPDX-License-Identifier: BSD-3-Clause
select content_key from release_pending
