// My client must not resend this POST: the server reads it whole and resets the
// connection. A second delivery would be answered 200.
import java.io.IOException;
import java.net.URI;
import java.net.http.*;

class Java {
    static final HttpClient client = HttpClient.newHttpClient();

    static String ask(String url, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url)).version(HttpClient.Version.HTTP_1_1);
        if (body != null) request.POST(HttpRequest.BodyPublishers.ofString(body));
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
    }

    public static void main(String[] args) throws Exception {
        var control = System.getenv("RETRY_LAB_CONTROL_URL");
        ask(control + "/calls", "{\"id\": \"java\", \"steps\": [\"reset\", \"200\"]}");
        try { // your client goes here
            throw new AssertionError("answered: " + ask(System.getenv("RETRY_LAB_ORIGIN_URL") + "/c/java/pay", "12 euros"));
        } catch (IOException expected) {
        }
        // A second delivery ends the wait at once, else 300 ms without one do.
        var record = ask(control + "/calls/java?wait=2&quiet_ms=300", null);
        if (!record.contains("\"deliveries\":1,")) throw new AssertionError(record);
        System.out.println("delivered 1 time, ended by " + record.replaceAll(".*\"ended\":\"(\\w+)\".*\\s*", "$1"));
    }
}
