package io.lockyard;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The body of a command. {@code HttpClient} subscribes to it once it has a connection, so this is
 * where a command is known to leave, or kept from leaving.
 */
final class CommandBody implements HttpRequest.BodyPublisher {
  private enum State {
    KEPT,
    SENT,
    GIVEN_UP
  }

  private static final Flow.Subscription NOTHING =
      new Flow.Subscription() {
        @Override
        public void request(long count) {}

        @Override
        public void cancel() {}
      };

  private final HttpRequest.BodyPublisher text;
  private final AtomicReference<State> state = new AtomicReference<>(State.KEPT);

  CommandBody(String text) {
    this.text = HttpRequest.BodyPublishers.ofString(text);
  }

  /** Whether it may have been sent. */
  boolean hasLeft() {
    return state.get() == State.SENT;
  }

  /** Whether nothing of it was sent; if so, nothing ever will be. */
  boolean giveUp() {
    return state.compareAndSet(State.KEPT, State.GIVEN_UP) || state.get() == State.GIVEN_UP;
  }

  @Override
  public long contentLength() {
    return text.contentLength();
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    if (state.compareAndSet(State.KEPT, State.SENT)) {
      text.subscribe(subscriber);
      return;
    }
    subscriber.onSubscribe(NOTHING);
    subscriber.onError(new IOException("Its caller has left, or it was sent before."));
  }
}
