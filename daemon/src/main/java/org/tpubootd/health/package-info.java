/**
 * The health endpoint: what people, load balancers, peers of a slice and Prometheus read over HTTP.
 * Reads the board and knows no component.
 */
@NullMarked
package org.tpubootd.health;

import org.jspecify.annotations.NullMarked;
