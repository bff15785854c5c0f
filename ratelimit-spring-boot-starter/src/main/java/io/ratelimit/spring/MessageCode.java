package io.ratelimit.spring;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The code of a message, such as {@code RL-105}: each error that stops the start of an application, and each warning in
 * the log, begins with one. A code names a kind of mistake. It stays the same when the words of its messages change.
 *
 * <p>The last two digits of an error's code are 01 to 50, those of a warning's code 51 to 99. Every code has a page that
 * says what is wrong, why it matters and what to do, which the jar holds: {@code META-INF/ratelimit/errors/RL-105.md}.
 */
public enum MessageCode {

    // Limits and settings
    LIMIT_NUMBERS_INVALID(101),
    BURST_NOT_SUPPORTED(102),
    MAX_REQUESTS_MISSING(103),
    ALGORITHM_INVALID(104),
    LIMIT_UNKNOWN(105),
    LIMIT_NAME_TAKEN(106),
    COST_INVALID(107),
    COST_TOO_LARGE(108),
    PROPERTY_UNKNOWN(109),
    VALUE_UNREADABLE(110),
    VALUE_MISPLACED(111),
    PLACEHOLDER_UNRESOLVED(112),
    NAME_INVALID(113),
    SETTING_INVALID(114),
    OBSERVATION_REGISTRY_MISSING(115),
    BAN_INVALID(116),
    PLAN_INVALID(117),
    ACCESS_INVALID(118),
    LIMIT_UNUSED(151),
    WINDOW_TOO_SHORT_FOR_HEADERS(152),
    VARIABLE_MISNAMED(153),
    EVERYBODY_TRUSTED(154),
    PLAN_OF_CLIENT(155),
    EVERYBODY_LISTED(156),
    PROXY_ALLOWED(157),
    REFRESH_INVALID(158),
    REFRESH_NOT_FOLLOWED(159),
    OVERRIDE_UNFIT(160),

    // Routes
    ROUTE_WITHOUT_PATHS(201),
    ROUTE_WITHOUT_LIMITS(202),
    PATH_INVALID(203),
    METHOD_INVALID(204),
    ROUTES_WITHOUT_SPRING_WEB(205),
    WEBSOCKET_NOT_IN_FLIGHT(206),
    LEVELS_INVALID(207),
    ROUTES_WITHOUT_REQUESTS(251),
    PATH_NOT_SERVED(253),
    ROUTES_CHARGE_TWICE(254),
    PRINCIPAL_KNOWN_LATE(255),

    // Annotations
    FALLBACK_METHOD_INVALID(301),
    NAME_WITHOUT_LIMIT(302),
    ANNOTATIONS_CHARGE_TWICE(303),
    METHOD_NOT_PROXIED(304),
    BEAN_NOT_PROXIED(305),
    KEY_NEEDS_REACTIVE_RETURN(306),
    END_NOT_KNOWN(307),
    THREAD_BLOCKED(351),

    // Keys and expressions
    KEY_INVALID(401),
    EXPRESSION_INVALID(402),
    EXPRESSION_NAME_UNKNOWN(403),
    CONDITION_NOT_BOOLEAN(404),
    ELEMENT_INVALID(405),
    KEY_FAILED(451),
    KEY_WITHOUT_REQUEST(452),
    COST_FAILED(453),
    CONDITION_FAILED(454),
    ACTUAL_COST_UNKNOWN(455),
    ELEMENT_ABSENT(456),
    ELEMENTS_DIFFER(457),
    PLAN_UNKNOWN(458),
    STREAM_WITHOUT_COST(459),
    PARAMETER_IN_BODY(460),
    ADDRESSES_CONTRADICT(461),
    PROVIDER_FAILS(462),
    LEVELS_WITHOUT_SUBJECT(463),

    // Store
    REDIS_LIBRARY_MISSING(501),
    CONNECTION_FACTORY_UNCLEAR(502),
    JEDIS_SETTINGS_UNREADABLE(503),
    LETTUCE_SETTINGS_UNREADABLE(504),
    STORE_FAILS(551),
    REDIS_UNREACHABLE(552),
    REDIS_SILENT(553),
    REDIS_REFUSES(554),
    REDIS_EVICTS(555),
    COUNTS_APART(556),
    CONNECTION_FACTORY_IGNORED(557),
    HEALTH_FOLLOWS_REDIS(558),

    // While requests are served
    LISTENER_FAILED(651),
    OBSERVATION_FAILED(652),
    ERROR_VIEW_FAILED(653),

    // Clients
    CLIENT_HOST_INVALID(701),
    CLIENT_LIMITS_INVALID(702),
    CLIENT_SETTING_INVALID(703),
    CLIENTS_WITHOUT_CUSTOMIZERS(704),
    CLIENT_URL_WITHOUT_HOST(751);

    private final int number;

    MessageCode(int number) {
        this.number = number;
    }

    /** Returns whether messages with this code are warnings in the log; all others are errors that stop the start. */
    public boolean isWarning() {
        return number % 100 > 50;
    }

    /** Returns the page about this code, in Markdown; empty if the application was packed without the pages of the jar. */
    public String page() {
        try (InputStream page = MessageCode.class.getResourceAsStream("/META-INF/ratelimit/errors/" + this + ".md")) {
            return page == null ? "" : new String(page.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException("the page about " + this + " cannot be read", unreadable);
        }
    }

    /** Returns the code as messages begin with it, such as {@code RL-105}. */
    @Override
    public String toString() {
        return "RL-" + number;
    }
}
