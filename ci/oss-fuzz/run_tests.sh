#!/bin/bash -eu
# Copyright The wirebed authors.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#      http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
# The tests that need neither network nor servers, from the sources as they lie there; leaves the
# tree as it was. make builds what has changed since build.sh.
cd "${SRC:-$(dirname "$0")/../..}"/wirebed 2>/dev/null || cd "$(dirname "$0")/../.."
make oss-fuzz-tests -j"$(nproc)"
