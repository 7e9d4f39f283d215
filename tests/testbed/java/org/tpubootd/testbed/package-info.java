/** What stands in for the machine in tests and in the sandbox, with faults to switch on. */
package org.tpubootd.testbed;
