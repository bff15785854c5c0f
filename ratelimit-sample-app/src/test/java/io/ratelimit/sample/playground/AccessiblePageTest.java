package io.ratelimit.sample.playground;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Anybody can use the page: in the dark, on a phone, with colours of their own, by the keyboard alone. */
class AccessiblePageTest extends PageTest {

    @Test
    void everyLookIsAccessibleAndAllOfItComesFromTheSample() {
        page.choose("Burst");
        page.fill("window", 1);
        page.fill("seconds", 1);
        page.run();

        everyLookIsAccessible();
        assertThat(browser.resources()).allMatch(url -> url.startsWith("http://localhost:" + port + "/"));
        assertThat(page.text("#error")).isEmpty();
    }

    @Test
    void theKeyboardAloneIsEnough() {
        page.choose("Boundary burst");
        browser.driver.switchTo().activeElement().sendKeys(Keys.ARROW_RIGHT);
        page.awaitText("#shape-text", "at one instant");
        page.fill("window", 1);
        page.fill("seconds", 1);
        browser.driver.switchTo().activeElement().sendKeys(Keys.ENTER);
        page.awaitDone();
        assertThat(page.refused("sliding-window-log")).isEqualTo(2);

        page.find("document.querySelector('#again').focus() ?? ''");
        browser.driver.switchTo().activeElement().sendKeys(Keys.ENTER);
        page.awaitText("#status", "Playing");
        assertThat(page.find("document.activeElement.id")).isEqualTo("again");
        page.awaitDone();
        assertThat(page.find("document.activeElement.id")).isEqualTo("again");
    }

    private void everyLookIsAccessible() {
        assertThat(browser.violations()).isEmpty();
        browser.look(true, Browser.DESKTOP);
        assertThat(browser.violations()).isEmpty();
        browser.look(false, Browser.PHONE);
        assertThat(browser.violations()).isEmpty();
        assertThat(page.find("document.documentElement.scrollWidth")).isEqualTo((long) Browser.PHONE);
        assertThat(page.find("document.querySelector('#again').offsetLeft"))
                .isEqualTo(page.find("document.querySelector('#status').offsetLeft"));
        whatIsChosenAndTheAreasAreSeenInForcedColours();
    }

    private void whatIsChosenAndTheAreasAreSeenInForcedColours() {
        browser.look(false, Browser.DESKTOP);
        browser.media("forced-colors", "active");
        String background = "getComputedStyle(document.querySelector('.segmented input%s + span')).backgroundColor";
        assertThat(page.find(background.formatted(":checked")))
                .isNotEqualTo(page.find(background.formatted(":not(:checked)")));
        String ofStart = "getComputedStyle(document.querySelector('#start')).";
        assertThat(page.find(ofStart + "backgroundColor")).isEqualTo(page.find(background.formatted(":checked")));
        assertThat(page.find(ofStart + "color")).isNotEqualTo(page.find(ofStart + "backgroundColor"));
        String colour = "Chart.getChart(document.querySelector('canvas')).options.plugins.marks.colours.";
        page.awaitCondition(
                "transparent areas", () -> page.find(colour + "area").toString().matches("color.*/ 0[.][0-3].*"));
        assertThat(page.find(colour + "allowed")).isNotEqualTo(page.find(colour + "area"));
    }
}
