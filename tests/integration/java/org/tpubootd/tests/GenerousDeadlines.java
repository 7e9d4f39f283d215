package org.tpubootd.tests;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Gives every wait for a state a minute, unless the test says otherwise: a machine that CI shares
 * with others may stand still for longer than Awaitility's ten seconds. Found by JUnit itself.
 */
public final class GenerousDeadlines implements LauncherSessionListener {

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
  }
}
