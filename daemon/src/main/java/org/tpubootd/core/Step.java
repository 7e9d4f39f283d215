package org.tpubootd.core;

/**
 * One change that a component would make.
 *
 * @param what the change, beginning with a verb: {@code bind 0000:00:05.0 to vfio-pci}
 * @param why what is so now that makes it needed: {@code it has no driver}
 */
public record Step(String what, String why) {}
