/** The metadata server: get, watch, token. */
@NullMarked
package org.tpubootd.metadata;

import org.jspecify.annotations.NullMarked;
