package io.ratelimit.lab.kit;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** The marks as text, as JSON and as JUnit's XML. */
public record KitReport(String url, List<Mark> marks) {

    boolean isPassed() {
        return count(Mark.Result.FAILED) == 0;
    }

    public String text() {
        String lines = marks.stream()
                .map(mark -> "%-12s  %-26s  %s%n".formatted(word(mark), mark.name(), mark.finding()))
                .collect(Collectors.joining());
        return "%s%d passed, %d failed, %d not possible%n"
                .formatted(
                        lines, count(Mark.Result.PASSED), count(Mark.Result.FAILED), count(Mark.Result.NOT_POSSIBLE));
    }

    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        JsonMapper.builder()
                .build()
                .writerWithDefaultPrettyPrinter()
                .writeValue(folder.resolve("kit.json").toFile(), Map.of("url", url, "marks", marks));
        try (OutputStream out = Files.newOutputStream(folder.resolve("kit.xml"))) {
            writeXml(XMLOutputFactory.newFactory().createXMLStreamWriter(out, "UTF-8"));
        } catch (XMLStreamException failed) {
            throw new IOException("cannot write kit.xml", failed);
        }
    }

    private void writeXml(XMLStreamWriter xml) throws XMLStreamException {
        xml.writeStartDocument("UTF-8", "1.0");
        xml.writeStartElement("testsuite");
        xml.writeAttribute("name", url);
        xml.writeAttribute("tests", Integer.toString(marks.size()));
        xml.writeAttribute("failures", Long.toString(count(Mark.Result.FAILED)));
        xml.writeAttribute("skipped", Long.toString(count(Mark.Result.NOT_POSSIBLE)));
        for (Mark mark : marks) {
            xml.writeStartElement("testcase");
            xml.writeAttribute("classname", "kit");
            xml.writeAttribute("name", mark.name());
            if (mark.result() != Mark.Result.PASSED) {
                xml.writeEmptyElement(mark.result() == Mark.Result.FAILED ? "failure" : "skipped");
                xml.writeAttribute("message", mark.finding());
            }
            xml.writeEndElement();
        }
        xml.writeEndElement();
        xml.writeEndDocument();
        xml.close();
    }

    private static String word(Mark mark) {
        return mark.result().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private long count(Mark.Result result) {
        return marks.stream().filter(mark -> mark.result() == result).count();
    }
}
