"""The bare domain's pages: that of a resource has the path of its URI."""

from django.urls import path

from apps.console.views import (
    boards,
    failures,
    farm,
    models,
    orders,
    people,
    prices,
    printers,
    runs,
    shops,
    slices,
)

urlpatterns = [
    path("", people.welcome, name="welcome"),
    path("sign-in/", people.sign_in, name="sign-in"),
    path("sign-in/<str:token>/", people.sign_in_by_link, name="sign-in-by-link"),
    path("sign-out/", people.sign_out, name="sign-out"),
    path("register/", people.register, name="register"),
    path("language/", people.choose_language, name="language"),
    path("model/", models.drop, name="models"),
    path("model/<uuid:uuid>/", models.model, name="model"),
    path("model/<uuid:uuid>/rename/", models.rename, name="rename-model"),
    path("model/<uuid:uuid>/delete/", models.delete, name="delete-model"),
    path("model/<uuid:uuid>/scale/", models.scale, name="scale-model"),
    path("model/<uuid:uuid>/slice/", slices.choose, name="slice-model"),
    path("model/<uuid:uuid>/prices/", prices.ask, name="model-prices"),
    path("slice/<uuid:uuid>/", slices.slice_page, name="slice"),
    path("bureau/", shops.shops, name="shops"),
    path("bureau/<uuid:uuid>/", boards.board, name="board"),
    path("bureau/<uuid:uuid>/prices/", prices.price_list, name="shop-prices"),
    path("price-table/<uuid:uuid>/", prices.price_table, name="price-table"),
    path("location/<uuid:uuid>/", farm.location, name="location"),
    path("printer/<uuid:uuid>/", printers.printer, name="printer"),
    path("run/<uuid:uuid>/", runs.run, name="run"),
    path("run/<uuid:uuid>/labels/", runs.labels, name="run-labels"),
    path("failed/", failures.failures, name="failures"),
    path("order/", orders.orders, name="orders"),
    path("order/new/", orders.new_order, name="new-order"),
    path("order/<uuid:uuid>/", orders.order, name="order"),
    path("line-item/<uuid:uuid>/", orders.line_item, name="line-item"),
]
