package io.ratelimit.spring.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A row of the tables of docs/configuration.md. In the name of the property, NAME is that of a limit or route. */
record ReferenceRow(String property, String type, String defaultValue, String example) {

    /** A heading that begins with what the properties below it begin with. */
    private static final Pattern HEADING = Pattern.compile("^#+ `([a-zA-Z.-]+)`.*");

    private static final Pattern ROW =
            Pattern.compile("^\\| `([a-zA-Z0-9.-]+)` \\| (.*?) \\| (.*?) \\| `(.*?)` \\| .* \\|$");

    static List<ReferenceRow> all() {
        List<ReferenceRow> rows = new ArrayList<>();
        String parent = "";
        for (String line : page()) {
            Matcher heading = HEADING.matcher(line);
            Matcher row = ROW.matcher(line);
            if (line.startsWith("#")) {
                parent = heading.matches() ? heading.group(1) + "." : "";
            } else if (!parent.isEmpty() && row.matches()) {
                rows.add(new ReferenceRow(parent + row.group(1), row.group(2), row.group(3), row.group(4)));
            }
        }
        return rows;
    }

    /** The property's name in the metadata. */
    String metadata() {
        return property.replace("NAME", "*");
    }

    /** Whether the default is the value of another property. */
    boolean inherits() {
        return defaultValue.startsWith("`");
    }

    /** That other property: one beside this one, or one with its whole name. */
    String inherited() {
        String other = defaultValue.replace("`", "");
        return other.contains(".") ? other : metadata().replaceFirst("[^.]+$", other);
    }

    @Override
    public String toString() {
        return property;
    }

    private static List<String> page() {
        try {
            return Files.readAllLines(Path.of("..", "docs", "configuration.md"));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
