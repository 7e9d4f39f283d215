/** The containers: engine, spec, supervisor, pull, registry log-in. */
@NullMarked
package org.tpubootd.container;

import org.jspecify.annotations.NullMarked;
