package io.ratelimit.sample;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** JSON for people: what fits into a line stands in one. */
final class JsonText {

    private static final int WIDTH = 126;

    private JsonText() {}

    static String of(JsonNode node) {
        return text(node, "");
    }

    private static String text(JsonNode node, String indentation) {
        if (node.isValueNode()) {
            return node.toString();
        }
        String line = members(node, "").collect(Collectors.joining(", ", open(node), close(node)));
        if (line.length() + indentation.length() <= WIDTH && !line.contains("\n")) {
            return line;
        }
        String inner = indentation + "  ";
        return members(node, inner)
                .map(member -> inner + member)
                .collect(Collectors.joining(",\n", open(node) + "\n", "\n" + indentation + close(node)));
    }

    private static Stream<String> members(JsonNode node, String indentation) {
        return node.isObject()
                ? node.properties().stream()
                        .map(field -> "\"" + field.getKey() + "\": " + text(field.getValue(), indentation))
                : StreamSupport.stream(node.spliterator(), false).map(element -> text(element, indentation));
    }

    private static String open(JsonNode node) {
        return node.isObject() ? "{" : "[";
    }

    private static String close(JsonNode node) {
        return node.isObject() ? "}" : "]";
    }
}
