package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * Ends a request that the application answers by an {@link AsyncContext} of its own before the last byte of its response,
 * as {@link EndingResponse} does. A context that is started without arguments would have the server's own response; it has, and the
 * request ends when it is completed, if a filter before has another one, which that may have sent already.
 */
final class EndingRequest extends HttpServletRequestWrapper {

    private final HttpServletResponse response;
    private final boolean hasFilterBefore;
    private final ResponseEnd end;

    EndingRequest(HttpServletRequest request, HttpServletResponse response, ResponseEnd end) {
        super(request);
        this.response = new EndingResponse(this, response, end);
        this.hasFilterBefore = isWrapped(response);
        this.end = end;
    }

    private static boolean isWrapped(ServletResponse response) {
        return response instanceof ServletResponseWrapper wrapper
                && (wrapper.getClass().getPackage() != EndingRequest.class.getPackage()
                        || isWrapped(wrapper.getResponse()));
    }

    /** Returns the response for the chain. */
    HttpServletResponse response() {
        return response;
    }

    @Override
    public AsyncContext startAsync() {
        return begun(super.startAsync());
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        return begun(super.startAsync(request, response));
    }

    /** Listens before the application, which may complete the request when it hears that the client has gone. */
    private AsyncContext begun(AsyncContext context) {
        context.addListener(end);
        return new EndingContext(context);
    }

    /** Null only in MockMvc if nothing was started; servers throw an exception then. */
    @Override
    public @Nullable AsyncContext getAsyncContext() {
        AsyncContext context = super.getAsyncContext();
        return context == null ? null : new EndingContext(context);
    }

    private final class EndingContext implements AsyncContext {

        private final AsyncContext context;

        EndingContext(AsyncContext context) {
            this.context = context;
        }

        /** The server may send the last byte at once. */
        @Override
        public void complete() {
            end.beforeLastByte();
            context.complete();
        }

        @Override
        public ServletResponse getResponse() {
            return context.hasOriginalRequestAndResponse() && !hasFilterBefore ? response : context.getResponse();
        }

        @Override
        public ServletRequest getRequest() {
            return context.getRequest();
        }

        @Override
        public boolean hasOriginalRequestAndResponse() {
            return context.hasOriginalRequestAndResponse();
        }

        @Override
        public void dispatch() {
            context.dispatch();
        }

        @Override
        public void dispatch(String path) {
            context.dispatch(path);
        }

        @Override
        public void dispatch(ServletContext application, String path) {
            context.dispatch(application, path);
        }

        /** Ends the request if the task fails: before the thread that began it has returned, Tomcat tells no listener of that. */
        @Override
        public void start(Runnable task) {
            context.start(() -> {
                try {
                    task.run();
                } catch (Throwable failure) {
                    end.afterTask(failure);
                    throw failure;
                }
            });
        }

        @Override
        public void addListener(AsyncListener listener) {
            context.addListener(listener);
        }

        @Override
        public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
            context.addListener(listener, request, response);
        }

        @Override
        public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
            return context.createListener(type);
        }

        @Override
        public void setTimeout(long millis) {
            context.setTimeout(millis);
        }

        @Override
        public long getTimeout() {
            return context.getTimeout();
        }
    }
}
