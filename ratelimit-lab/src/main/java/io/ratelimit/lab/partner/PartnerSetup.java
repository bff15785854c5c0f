package io.ratelimit.lab.partner;

import io.ratelimit.benchmarks.RedisSite;
import io.ratelimit.lab.Rate;
import java.net.http.HttpClient;

/**
 * The settings that an instance is made of.
 *
 * @param name tells the keys of contenders apart
 * @param rate what the partner enforces
 */
record PartnerSetup(String name, RedisSite redis, Rate rate, HttpClient http, String host) {}
