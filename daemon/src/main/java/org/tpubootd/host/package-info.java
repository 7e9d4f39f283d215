/** Checks of the host: kernel, limits, other agents. Changes nothing. */
@NullMarked
package org.tpubootd.host;

import org.jspecify.annotations.NullMarked;
